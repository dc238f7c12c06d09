Aa=b c+=d e=(f [1]=g $(h)) export i=j; declare -A k=([l]=m)
n= o
