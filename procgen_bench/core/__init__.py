"""The ground floor: what every room speaks of. It imports no other room."""
