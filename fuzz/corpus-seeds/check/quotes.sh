Aa 'b' "c $d ${e} $(f) `g`" $'h\x41\n' $"i" \j k\
l
