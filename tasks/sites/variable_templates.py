"""Templates with variables for Algorithm 2, at least one for every kind of template in table 4."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from procgen_bench.tasks.sites import shop_templates, templates
from procgen_bench.tasks.sites.elements import Behaviour
from procgen_bench.tasks.sites.invention import DomTemplate

_LABELS = (
    *("Company", "Phone", "E-mail", "Country", "Middle name", "Nickname", "Order number", "Seat", "Job title", "Floor"),
    *("County", "Birthday", "Website", "Language", "Currency", "Tax number", "Passport", "Licence plate", "Faculty"),
    *("School", "Room", "Membership", "Coupon", "Greeting", "Delivery note", "Pick-up time", "Colour", "Size", "Meal"),
    *(
        "Newsletter topic",
        "Referred by",
        "Budget",
        "Emergency contact",
        "Nationality",
        "Occupation",
        "Hotel",
        "Luggage",
    ),
    *("Insurance plan", "Bank name", "Branch", "Building", "District", "Engraving", "Gift for", "Height", "Weight"),
    *("Instrument", "Project", "Reference", "Supplier", "Team", "Ticket", "Vehicle", "Voucher number", "Workshop"),
)
_PLACEHOLDERS = ("As on your card", "At least eight signs", "Leave empty if none", "Digits only")
_ENTRIES = ("About", "Blog", "Careers", "Contact", "Help", "News", "Offers", "Orders", "Press", "Terms")
_WARES = ("Kettle", "Lamp", "Mirror", "Mug", "Plate", "Rug", "Scarf", "Spoon", "Table", "Vase")
_NOTES = ("Back in stock", "Hand made", "Last pieces", "New in", "Our best", "Two for one")
_PRICES = ("$5", "$9", "$14", "$22", "$40", "$75", "$120")
_ACTIONS = ("Add", "Buy now", "Look closer", "More", "Reserve")
_BRANDS = ("Bazaar", "Corner", "Market", "Shop", "Store")
_TITLES = ("Almost there", "Check your data", "Good to see you", "Tell us more", "Your order")
_LINKS = ("Read the small print", "See all offers", "Track a parcel", "Write to us")
_BUTTONS = ("Continue", "Go on", "Next", "Proceed", "To the next page")
_BUTTON_CLASSES = ("primary", "secondary")
_OPTIONS = (("Card", "Cash"), ("Pick-up", "Post"), ("Business", "Private"), ("Now", "Later"))


def _numbered(**lists: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """The variables ``{name-0}`` to ``{name-4}``, each with the same list."""
    return {f"{{{name}-{number}}}": values for name, values in lists.items() for number in range(5)}


def _of_options() -> dict[str, tuple[str, ...]]:
    return {f"{{option-{number}}}": values for number, values in enumerate(_OPTIONS)}


def _link() -> DomTemplate:
    # As wide as the longest of its texts.
    line = templates.link(max(_LINKS, key=len))
    (anchor,) = line.children
    return DomTemplate("link", replace(line, children=(replace(anchor, text="{text}"),)), {"{text}": _LINKS})


def _button() -> DomTemplate:
    action = templates.button("{text}", Behaviour.LEAVE)
    (button,) = action.children
    return DomTemplate(
        "button",
        replace(action, children=(replace(button, classes=("button", "{class}")),)),
        {"{text}": _BUTTONS, "{class}": _BUTTON_CLASSES},
    )


def _input() -> DomTemplate:
    return DomTemplate(
        "input",
        templates.text_input("{label}", placeholder="{placeholder}"),
        {"{label}": _LABELS, "{placeholder}": _PLACEHOLDERS},
        frozenset({Behaviour.TYPE}),
        "{label}",
    )


def _search() -> DomTemplate:
    return DomTemplate(
        "input",
        templates.group("{sign}", "{placeholder}", "{action}"),
        {"{sign}": ("?", "@", "#"), "{placeholder}": ("Look for", "Find a shop", "Order number"), "{action}": _ACTIONS},
    )


def _selection() -> DomTemplate:
    labels = (
        *("Gift wrap", "Newsletter", "Subscribe", "I agree", "Insurance", "Send a copy", "Keep me posted"),
        *("Leave at the door", "Save these data", "Call me back", "I am of age", "Large print"),
    )
    return DomTemplate(
        "selection",
        templates.selection("{label}"),
        {"{label}": labels},
        frozenset({Behaviour.CHECK}),
        "{label}",
    )


def _multi_selection() -> DomTemplate:
    return DomTemplate(
        "multi-selection",
        templates.multi_selection("{label}", list(_of_options())),
        {"{label}": _LABELS, **_of_options()},
        label="{label}",
    )


def _drop_down() -> DomTemplate:
    return DomTemplate(
        "multi-selection",
        templates.drop_down("{label}", list(_of_options())),
        {"{label}": _LABELS, **_of_options()},
        frozenset({Behaviour.SELECT}),
        "{label}",
    )


def _navigation_bar() -> DomTemplate:
    return DomTemplate(
        "navigation bar",
        shop_templates.navigation_bar("{brand}", [f"{{entry-{number}}}" for number in range(5)]),
        {"{brand}": _BRANDS, **_numbered(entry=_ENTRIES)},
    )


def _carousel() -> DomTemplate:
    return DomTemplate(
        "carousel",
        shop_templates.carousel([(f"{{name-{number}}}", f"{{note-{number}}}") for number in range(5)]),
        _numbered(name=_WARES, note=_NOTES),
    )


def _cart() -> DomTemplate:
    goods = [(f"{{name-{number}}}", f"{{note-{number}}}", f"{{price-{number}}}") for number in range(3)]
    return DomTemplate(
        "cart",
        shop_templates.cart("{title}", goods, "{promotion}"),
        {
            "{title}": ("Basket", "Cart", "Your things"),
            "{promotion}": ("Coupon", "Promo code", "Voucher"),
            **_numbered(name=_WARES, note=_NOTES, price=_PRICES),
        },
    )


def _deck() -> DomTemplate:
    cards = [(f"{{name-{number}}}", f"{{note-{number}}}", f"{{price-{number}}}") for number in range(4)]
    return DomTemplate(
        "deck",
        shop_templates.deck(cards, "{action}"),
        {"{action}": _ACTIONS, **_numbered(name=_WARES, note=_NOTES, price=_PRICES)},
    )


def _media() -> DomTemplate:
    return DomTemplate(
        "media",
        shop_templates.media("{name}", "{note}", "{action}"),
        {"{name}": _WARES, "{note}": _NOTES, "{action}": _ACTIONS},
    )


def _footer() -> DomTemplate:
    return DomTemplate(
        "footer",
        shop_templates.footer("{about}", [f"{{entry-{number}}}" for number in range(4)]),
        {
            "{about}": ("Since 1950", "Made with care", "Your shop around the corner"),
            **_numbered(entry=_ENTRIES),
        },
    )


def _heading() -> DomTemplate:
    return DomTemplate("label", templates.heading("{title}"), {"{title}": _TITLES})


#: The templates by name; two make lines of text, two multi-selections.
VARIABLE_TEMPLATES: Mapping[str, DomTemplate] = MappingProxyType(
    {
        "input": _input(),
        "search": _search(),
        "selection": _selection(),
        "multi-selection": _multi_selection(),
        "drop-down": _drop_down(),
        "label": _heading(),
        "link": _link(),
        "button": _button(),
        "navigation bar": _navigation_bar(),
        "carousel": _carousel(),
        "cart": _cart(),
        "deck": _deck(),
        "media": _media(),
        "footer": _footer(),
    }
)
