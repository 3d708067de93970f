"""The figures of "Open-Ended Learning Leads to Generally Capable Agents" (2021): its tasks, and its agents."""
