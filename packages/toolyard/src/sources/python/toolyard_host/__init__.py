"""Serves the functions of one Python file as the tools of an MCP server on stdin and stdout. Standard library only."""
