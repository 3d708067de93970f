"""A process that plays an untrusted ONNX policy (extra ``rerun``; Linux only).

The parent reads no byte of the file. A child, a fresh interpreter, is handed it through a pipe after it has given up
files, network, processes and most of the kernel: it parses, checks and plays it, and answers with actions, which the
parent checks. The modules ``child``, ``confinement``, ``system_calls``, ``model_check`` and ``loaded_model`` are the
child's, the others the parent's.
"""
