"""What people do, with what and where: the selectional restrictions of the grammar.

``verb | objects | determiners | tenses | places``. Objects are tags of nouns, "-" for none, "someone" for a person.
Letters stand for determiners: t the, a "a" or "some", s "a" and never "some", o the subject's own, p somebody's,
w "tom 's", d this or that, n a number, m many, g no article in English; a letter that stands twice weighs double.
Letters stand for tenses: p progressive, h habit, d past, f future, x "already", e "ever" and "never", s state; and for
w want to, l like to, c can, u must, i imperative, r what only other rules choose; + marks what may take a "long" time
such as "last year", @ what may take the hour, * what takes days only and no part of the day. Places are nouns.
"""

from __future__ import annotations

from dataclasses import dataclass

from attnbook.data.grammar.entries import Entry, Noun, Verb
from attnbook.data.grammar.nouns import tagged
from attnbook.data.grammar.verbs import VERBS

ACTIONS_TABLE = """
eat | snack egg tomato carrot | ttaaaadngg | phdfxwlui | kitchen restaurant garden park home
eat | bread rice cheese meat fish chicken chocolate salad | ggggatt | phdfxwlui | kitchen restaurant home
eat.soup | soup | gatt | phdfwl | kitchen restaurant home
eat.meal | meal | g | phdfx* | kitchen restaurant home garden
drink | water tea coffee milk juice | ggggat | phdfxwlui | kitchen restaurant garden home
drink.alcohol | alcohol | ggat | phdfxwl | restaurant garden home
buy | clothes worn umbrella bag | aaaatdn | dfxwu | -
buy | fruit vegetable egg cake | aaaatng | hdfwu | market supermarket
buy | grocery | gga | hdfwu | supermarket market
buy | bread cake sandwich | ggaa | hdfw | bakery supermarket
buy | vehicle device furniture instrument house | aaaatd | dfxw+ | -
buy | bookish press flower toy gift ticket pen pencil | aaaatdn | hdfxwu | -
sell | vehicle house furniture computer instrument | ootadw | dfxwu+ | -
read | text | ttaaadngpw | phdfxwluie | library garden park office bedroom home beach
write | letter story poem novel book | aaaatng | phdfxwlu | library office bedroom home garden
watch | film | taadg | phdfwl | home living_room cinema
see.film | film | taadn | dfxwe@ | cinema
see | animal | taaanmd | d | garden park street forest
see.film | river lake castle | ta | w | -
see | someone | - | d | street market station park school
see.person | someone | - | fw | -
look | photo shown flower animal bird | tadp | pdi | garden park
look | house bridge castle | td | pdi | -
look.seek | losable | ooootap | pdu | kitchen bedroom office school home
look.seek | pet toy ball hotel restaurant | otaa | pd | garden park street
find | losable | oootapw | dxc | street park garden kitchen
find | toy ball ticket gift | ota | d | garden street bedroom
lose | losable | oooop | d | park market station street beach
forget | losable | oooo | d | -
take | transport | t | hdfwu@ | -
miss | transport | t | d@ | -
wear.clothes | clothes | ssso | ph | -
wear.hat | worn | ssso | ph | -
wash | dish | tttd | phdfxu | kitchen
wash | clothes | ttood | pdfxu | -
wash | vehicle | toow | pdfxu | garden
wash | fruit vegetable | ttd | pdfu | kitchen
clean | kitchen bedroom bathroom living_room house | tttoo | phdfxui | -
cook | fish rice meat chicken egg vegetable soup | gta | phdfwl | kitchen home
cook | dinner lunch | g | pdf* | kitchen home
make | cake sandwich salad coffee soup | aaagt | phdfwl | kitchen home
prepare | meal | g | phdfxu* | kitchen home
play.kick | football | g | phdfwl | park garden beach
play.hit | tennis basketball | g | phdfwl | park school
play.keys | piano guitar | t | phdfwl | living_room school home
play.bow | violin | t | phdfwl | living_room school home
play | - | - | phdfwl | garden park beach bedroom
sing | - | - | phdfwl | garden kitchen bathroom theater church
sing.song | song | aatdnmg | pdfwl | theater church garden
listen | music | ggt | phdfwl | bedroom living_room garden home
listen | song story | tt | phd | -
open | opening box bag bottle package | tttod | dfxcui@ | -
close | opening box bag | tttod | dfxcui@ | -
repair | machine bike | ttooawp | pdfcu | home
break | fragile cup window | ttaaow | d | kitchen
break.device | lamp phone camera toy chair | tooow | d | -
drive | driven | otssw | pdwf | street
draw | animal house tree flower car bridge | aaatnmg | phdfwl | garden school park
feed | pet farm_animal bird | ttowm | phdfu | garden farm park
visit | visited | ttad | dfexwu+ | -
visit.city | city country | g | dfexw+ | -
meet | someone | - | de@ | park street station market restaurant library beach airport
meet.see | someone | - | fw@ | park station restaurant library airport
help | someone | - | pdfwcuh | -
call | someone | - | dfwu@ | -
invite | friend neighbor | oo | dfwu | -
invite | someone | - | dfw | -
thank | someone | - | dfwu | -
wait | someone | - | pdfu | station airport garden park restaurant
wait | transport | t | pd | station airport
talk | someone | - | pdfwu | garden kitchen office park restaurant
know.person | someone | - | s | -
love | someone | - | s | -
like | text animal fruit vegetable drink film clothes lovely | ddtggg | s | -
like | sport language music city country cheese chocolate bread meat fish soup | g | s | -
want | clothes device toy gift fruit drink pet bike bookish umbrella | aaaad | s | -
need | umbrella pen pencil computer phone ticket coat map key chair table lamp | ssstod | s | -
have | vehicle pet device instrument house garden umbrella | aaaan | s | -
have | brother sister son daughter | sn | s | -
have | question friend book | anm | s | -
understand | question lesson story letter poem | ttd | dxs | -
answer | question letter | ttdo | dfxuc | -
learn | language | g | phfwlu+ | school university home
speak | language | g | s | -
receive | letter package gift | aaatn | d | -
work | - | - | phdfwlu | office hospital bank factory restaurant farm garden library hotel supermarket bakery home
study | - | - | phdfwlu | library school university bedroom office home
sleep | - | - | phdfwu | bedroom living_room hotel home
swim | - | - | phdfwlc | river lake swimming_pool
run.hurry | - | - | r | -
run | - | - | phdfwl | park forest street beach
walk | - | - | phdfwl | park forest street garden beach
dance | - | - | phdfwl | kitchen garden living_room street
cry | - | - | pd | kitchen bedroom
laugh | - | - | pd | kitchen garden
travel | - | - | dfwle+ | country
live | - | - | sfwl | city country village farm castle
stay | - | - | dfuwl | home hotel bedroom
go | - | - | hdfwul@ | goal
arrive | - | - | d@ | station airport hotel city school office
leave | - | - | dfxwu@ | -
come.home | - | - | dfxhwu@ | -
go.bed | - | - | dfhwu* | -
fall | - | - | d | street garden kitchen
give | book toy present flower key apple watch hat umbrella | ssaton | r | -
lend | book bike umbrella pen camera car computer novel coat | ssstoow | r | -
show | photo house letter map film car dress bike | otadp | r | -
send | letter package present photo book flower | aatn | r | -
tell | story | aatd | r | -
"""


@dataclass(frozen=True, eq=False)
class Action(Entry):
    """One line of the table, read."""

    name: str
    verb: Verb
    objects: tuple[Noun, ...]
    someone: bool
    determiners: str
    tenses: str
    places: tuple[Noun, ...]

    @property
    def marks(self) -> str:
        """Which times it may take: those of "+@*" that it has."""
        return "".join(mark for mark in "+@*" if mark in self.tenses)

    def __repr__(self) -> str:
        return f"Action({self.name})"


def _action(line: str) -> Action:
    name, objects, determiners, tenses, places = (cell.strip() for cell in line.split("|"))
    verb = VERBS[name]
    someone = objects == "someone"
    nouns = () if someone or objects == "-" else tagged(objects)
    where = () if places == "-" else tagged(places)
    return Action(verb.english, name, verb, nouns, someone, determiners, tenses, where)


ACTIONS: tuple[Action, ...] = tuple(_action(line) for line in ACTIONS_TABLE.strip().splitlines())
