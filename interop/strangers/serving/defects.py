"""The table of all defects of the server."""

from serving import defects_behaviour, defects_modern, defects_shapes, defects_web

DEFECTS = {}
for table in (defects_behaviour.TABLE, defects_shapes.TABLE, defects_web.TABLE, defects_modern.TABLE):
    for each in table:
        assert each.name not in DEFECTS, each.name
        DEFECTS[each.name] = each
