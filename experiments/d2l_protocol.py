"""D2L's own protocol."""
def plan(): return []
def run(e, *, command): return {}
