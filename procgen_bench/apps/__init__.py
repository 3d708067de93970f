"""What people play and draw levels with: windows, pages in a browser, an editor, the import of fragments."""
