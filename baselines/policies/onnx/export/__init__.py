"""Trained policies written as ONNX files (extras ``baselines`` and ``rerun``)."""
