"""What men alone say of a position's worth: `pair_o_max` is the rule of thumb that engines use, `better` one of the
same size with what tables say of it. research/potential lays both beside the tables."""
