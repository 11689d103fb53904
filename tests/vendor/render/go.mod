module render

go 1.22
