"""Policies: folders, weights, ONNX files, scripted players."""
