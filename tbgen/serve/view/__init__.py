"""Pages as text: what is said of positions, materials and games. JavaScript adds the board and puts parts in place;
whatever is to be read is made here, once."""
