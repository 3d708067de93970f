"""Figures in one style: what they show as data, drawn by matplotlib, written as SVG for light and dark pages."""
