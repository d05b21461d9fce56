LEGAL = {}
