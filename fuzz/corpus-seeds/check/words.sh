Als *.c ?d [e-f]g {h,i{j,k}} {1..9} ~/l ~m +(n|o) !(p) # q
