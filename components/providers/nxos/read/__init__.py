"""What looks at a switch: its answers and its configuration, read and compared; nothing here changes one."""
