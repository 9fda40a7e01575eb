"""Names of materials that tests go through."""

from tbgen.core.material import every

SMALL = [one.name for men in (2, 3, 4) for one in every(men)]

LARGER = [
    *("KNNvKP", "KQQQvK", "KPPvKP", "KRPvKP", "KBNvKN", "KPPPvK", "KQPvKR"),
    *("KRPvKRP", "KNNNvKNN", "KNPvKNP", "KQQQQvK", "KNNNNvK"),
]
