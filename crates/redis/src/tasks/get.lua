-- ARGV: id, owner.
if not owned(ARGV[2], ARGV[3]) then return {'unknown'} end
return {'ok', stored(ARGV[2])}
