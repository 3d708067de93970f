"""The board: entries that were verified, and the tables over them."""
