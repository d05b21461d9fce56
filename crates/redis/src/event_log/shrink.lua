-- Drops the oldest events of a stream. ARGV: number, bytes that are too many.
local it, target = read(ARGV[3]), nil
if not it then return {'unknown'} end
target = cost(it) - tonumber(ARGV[4])
while it.count > 0 and cost(it) > target do shift(ARGV[3], it) end
write(ARGV[3], it)
return {'ok', cost(it)}
