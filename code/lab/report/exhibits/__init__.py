"""What a template asks for by queries: numbers, tables and figures."""
