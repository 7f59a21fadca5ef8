"""The vocabulary of the synthetic shop: departments, subcategories, what they sell and what it usually costs.

Every brand is invented. Nothing here was taken from a real catalogue.
"""

from __future__ import annotations

from typing import NamedTuple


class Shelf(NamedTuple):
    """One subcategory: its share of the purchases, its products, and the price of a typical one."""

    department: str
    family: str
    name: str
    share: float
    price: float
    nouns: tuple[str, ...]


BRANDS = (
    "Alder & Finch",
    "Bellweather",
    "Clearbrook",
    "Dove Hollow",
    "Evenkeel",
    "Fernway",
    "Good Harbor",
    "Hearthstone",
    "Ironwood",
    "Juniper Lane",
    "Kindly",
    "Larkspur",
    "Meadowmark",
    "Northlight",
    "Oak & Ember",
    "Plainfield",
)

HEALTH = "Health Care"


def _shelf(family: str, name: str, share: float, price: float, nouns: str, department: str = HEALTH) -> Shelf:
    return Shelf(department, family, name, share, price, tuple(noun.strip() for noun in nouns.split(",")))


SHELVES = (
    _shelf(
        "Alternative Medicine",
        "Essential Oils",
        0.165,
        9,
        "Lavender Oil, Tea Tree Oil, Peppermint Oil, Eucalyptus Oil, Cassia Oil, Garlic Oil, Rosemary Oil, Clove Oil, "
        "Lemongrass Oil, Frankincense Oil, Bergamot Oil, Cedarwood Oil",
    ),
    _shelf(
        "Alternative Medicine",
        "Herbal Remedies",
        0.040,
        14,
        "Elderberry Syrup, Arnica Gel, Valerian Drops, Ginger Chews, Echinacea Drops, Turmeric Paste, Chamomile Drops",
    ),
    _shelf("Alternative Medicine", "Aromatherapy", 0.035, 22, "Oil Diffuser, Scent Roller, Steam Inhaler, Warm Wrap"),
    _shelf(
        "Vitamins",
        "Multivitamins",
        0.085,
        16,
        "Daily Multivitamin, Women's Multivitamin, Men's Multivitamin, Children's Multivitamin, 50+ Multivitamin",
    ),
    _shelf(
        "Vitamins",
        "Single Vitamins",
        0.075,
        11,
        "Vitamin C, Vitamin D3, Vitamin B12, Vitamin E, Biotin, Folic Acid, Vitamin K2",
    ),
    _shelf("Vitamins", "Minerals", 0.050, 12, "Magnesium, Zinc, Iron, Calcium, Potassium, Selenium"),
    _shelf("Vitamins", "Fish Oil", 0.040, 19, "Omega-3 Softgels, Cod Liver Oil, Krill Oil, Algae Omega"),
    _shelf(
        "First Aid",
        "Bandages",
        0.070,
        6,
        "Adhesive Bandages, Gauze Roll, Elastic Wrap, Blister Patches, Knuckle Bandages, Butterfly Strips",
    ),
    _shelf("First Aid", "Antiseptics", 0.040, 7, "Alcohol Wipes, Antiseptic Spray, Hydrogen Peroxide, Wound Wash"),
    _shelf("First Aid", "First Aid Kits", 0.030, 28, "Home First Aid Kit, Travel First Aid Kit, Car First Aid Kit"),
    _shelf("Oral Care", "Toothbrushes", 0.060, 12, "Soft Toothbrush, Bamboo Brush, Electric Toothbrush, Brush Heads"),
    _shelf("Oral Care", "Floss", 0.040, 5, "Waxed Floss, Floss Picks, Water Flosser, Interdental Brushes"),
    _shelf("Foot Health", "Insoles", 0.050, 21, "Shoe Insoles, Arch Supports, Heel Cups, Gel Cushions"),
    _shelf("Foot Health", "Foot Care", 0.030, 10, "Callus File, Foot Balm, Toe Separators, Corn Pads"),
    _shelf("Pain Relief", "Heat and Cold", 0.040, 17, "Gel Ice Pack, Heating Pad, Heat Wraps, Cooling Cap"),
    _shelf("Pain Relief", "Muscle Rubs", 0.035, 11, "Menthol Rub, Warming Balm, Sports Cream, Pain Patch"),
    _shelf("Sleep", "Sleep Aids", 0.045, 13, "Melatonin Gummies, Sleep Mask, Ear Plugs, Night Tea, Nasal Strips"),
    _shelf("Monitoring", "Thermometers", 0.030, 24, "Digital Thermometer, Forehead Thermometer, Ear Thermometer"),
    _shelf("Monitoring", "Blood Pressure", 0.025, 45, "Arm Pressure Monitor, Wrist Pressure Monitor, Spare Cuff"),
    _shelf("Mobility", "Braces", 0.030, 23, "Knee Brace, Wrist Brace, Ankle Brace, Posture Strap, Elbow Sleeve"),
    _shelf("Mobility", "Walking Aids", 0.010, 38, "Folding Cane, Walker Bag, Grip Tips"),
    _shelf("Eye Care", "Eye Drops", 0.030, 12, "Moisture Drops, Allergy Drops, Contact Lens Solution, Eye Wash"),
    _shelf("Digestion", "Probiotics", 0.040, 22, "Daily Probiotic, Probiotic Drops, Fiber Gummies, Digestive Enzymes"),
    _shelf("Cleaning", "Laundry", 0.030, 15, "Laundry Strips, Stain Stick, Wool Dryer Balls", "Household"),
    _shelf("Cleaning", "Surfaces", 0.025, 8, "Glass Spray, Kitchen Wipes, Floor Cleaner", "Household"),
    _shelf("Nursery", "Diapering", 0.025, 26, "Baby Wipes, Night Diapers, Rash Cream", "Baby Care"),
)

# What else a product is labelled with: its third category, so that two products of one shelf can differ a little.
LABELS = ("Value Pack", "Travel Size", "Organic", "Fragrance Free", "Vegan", "Best Before 2028")
