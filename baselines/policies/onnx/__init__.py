"""Policies as ONNX files: ``export`` writes them, ``sandbox`` plays them without trusting them."""
