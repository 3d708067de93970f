"""What is handed in: metadata and traces of a method's episodes, read without trusting them."""
