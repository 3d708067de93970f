"""What a submission is worth: its episodes played again."""
