"""The figures of "Open-Ended Learning Leads to Generally Capable Agents" (2021) that show the space of its tasks."""
