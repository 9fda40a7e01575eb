"""Pages, as `tbgen serve` and the folder of `tbgen publish` have them: `frame` is what all share, with the addresses
that differ. Modules here write pages as text; `static` has what browsers run."""
