"""Small networks in compiled code: forward, backward and Adam without a graph of operations."""
