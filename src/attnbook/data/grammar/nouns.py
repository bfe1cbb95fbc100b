"""The nouns of the grammar: one line each, in three languages.

``english plural | gender french plural (other sex) | measure chinese | tags`` with ``_`` for a space inside a
word and ``-`` for a form that does not exist. Places add ``@ english_preposition french_preposition localiser``.
"""

from __future__ import annotations

from functools import cache

from attnbook.data.grammar.entries import Noun, Preposition

PEOPLE = """
teacher teachers         | m professeur professeurs professeure  | 个 老师   | job role good
doctor doctors           | m médecin médecins médecin            | 个 医生   | job role good
nurse nurses             | f infirmière infirmières infirmier    | 个 护士   | job role
lawyer lawyers           | m avocat avocats avocate              | 个 律师   | job role rich good
writer writers           | m écrivain écrivains écrivaine        | 个 作家   | job role fame rich
singer singers           | m chanteur chanteurs chanteuse        | 个 歌手   | job role fame rich good
actor actors             | m acteur acteurs actrice              | 个 演员   | job role fame rich good
artist artists           | m artiste artistes artiste            | 个 艺术家 | job role fame
farmer farmers           | m agriculteur agriculteurs agricultrice | 个 农民 | job role strong
baker bakers             | m boulanger boulangers boulangère     | 个 面包师 | job role
waiter waiters           | m serveur serveurs serveuse           | 个 服务员 | job role
driver drivers           | m chauffeur chauffeurs chauffeuse     | 个 司机   | job role good
engineer engineers       | m ingénieur ingénieurs ingénieure     | 个 工程师 | job role good
student students         | m étudiant étudiants étudiante        | 个 学生   | job role pupil good lazy
neighbor neighbors       | m voisin voisins                      | 个 邻居   | role
friend friends           | m ami amis                            | 个 朋友   | own good
child children           | m enfant enfants                      | 个 孩子   | young_one pupil
boy boys                 | m garçon garçons                      | 个 男孩   | young_one pupil strong lazy
girl girls               | f fille filles                        | 个 女孩   | young_one pupil
man men                  | m homme hommes                        | 个 男人   | rich strong
woman women              | f femme femmes                        | 个 女人   | rich
mother -                 | f mère mères                          | 个 妈妈   | kin
father -                 | m père pères                          | 个 爸爸   | kin
brother brothers         | m frère frères                        | 个 哥哥   | kin
sister sisters           | f sœur sœurs                          | 个 姐姐   | kin
uncle -                  | m oncle oncles                        | 个 叔叔   | kin
aunt -                   | f tante tantes                        | 个 阿姨   | kin
grandmother -            | f grand-mère grand-mères              | 个 奶奶   | kin elder
grandfather -            | m grand-père grands-pères             | 个 爷爷   | kin elder
son sons                 | m fils fils                           | 个 儿子   | kin
daughter daughters       | f fille filles                        | 个 女儿   | kin
wife -                   | f femme femmes                        | 个 妻子   | spouse
husband -                | m mari maris                          | 个 丈夫   | spouse
"""

NAMES = """
tom -    | m tom tom       | 个 汤姆   | name
paul -   | m paul paul     | 个 保罗   | name
david -  | m david david   | 个 大卫   | name
lucas -  | m lucas lucas   | 个 卢卡斯 | name
anna -   | f anna anna     | 个 安娜   | name
emma -   | f emma emma     | 个 艾玛   | name
mary -   | f marie marie   | 个 玛丽   | name
alice -  | f alice alice   | 个 爱丽丝 | name
"""

ANIMALS = """
cat cats       | m chat chats         | 只 猫   | pet sized lazy clever
dog dogs       | m chien chiens       | 条 狗   | pet sized clever danger
bird birds     | m oiseau oiseaux     | 只 鸟   | sized lovely
rabbit rabbits | m lapin lapins       | 只 兔子 | pet sized
mouse mice     | f souris souris      | 只 老鼠 | sized
horse horses   | m cheval chevaux     | 匹 马   | strong lovely farm_animal
cow cows       | f vache vaches       | 头 牛   | strong farm_animal
duck ducks     | m canard canards     | 只 鸭子 | sized farm_animal
"""

FOOD = """
apple apples           | f pomme pommes                   | 个 苹果   | fruit snack counted sized
orange oranges         | f orange oranges                 | 个 橙子   | fruit snack counted
pear pears             | f poire poires                   | 个 梨     | fruit snack counted
banana bananas         | f banane bananes                 | 根 香蕉   | fruit snack counted
strawberry strawberries | f fraise fraises                | 个 草莓   | fruit counted
tomato tomatoes        | f tomate tomates                 | 个 西红柿 | vegetable counted
potato potatoes        | f pomme_de_terre pommes_de_terre | 个 土豆   | vegetable counted
carrot carrots         | f carotte carottes               | 根 胡萝卜 | vegetable counted
egg eggs               | m œuf œufs                       | 个 鸡蛋   | counted cooked grocery
sandwich sandwiches    | m sandwich sandwichs             | 个 三明治 | snack counted made_food
cake cakes             | m gâteau gâteaux                 | 个 蛋糕   | snack counted made_food dessert sized
bread -                | m pain pains                     | 个 面包   | mass grocery fresh baked
rice -                 | m riz riz                        | 碗 米饭   | mass cooked
cheese -               | m fromage fromages               | 块 奶酪   | mass grocery
meat -                 | f viande viandes                 | 块 肉     | mass cooked grocery fresh
fish -                 | m poisson poissons               | 条 鱼     | mass cooked grocery fresh
chicken -              | m poulet poulets                 | 块 鸡肉   | mass cooked grocery
chocolate -            | m chocolat chocolats             | 块 巧克力 | mass grocery dessert
salad -                | f salade salades                 | 份 沙拉   | mass made_food fresh
soup -                 | f soupe soupes                   | 碗 汤     | mass broth
water -                | f eau eaux                       | 杯 水     | mass drink
tea -                  | m thé thés                       | 杯 茶     | mass drink brewed
coffee -               | m café cafés                     | 杯 咖啡   | mass drink brewed
milk -                 | m lait laits                     | 杯 牛奶   | mass drink grocery
juice -                | m jus jus                        | 杯 果汁   | mass drink grocery
wine -                 | m vin vins                       | 杯 葡萄酒 | mass drink alcohol grocery
beer -                 | f bière bières                   | 杯 啤酒   | mass drink alcohol
breakfast -            | m petit-déjeuner petits-déjeuners | 顿 早饭  | meal bare
lunch -                | m déjeuner déjeuners             | 顿 午饭   | meal bare
dinner -               | m dîner dîners                   | 顿 晚饭   | meal bare
"""

THINGS = """
book books             | m livre livres                 | 本 书     | text bookish made good
novel novels           | m roman romans                 | 本 小说   | text bookish made good lengthy
magazine magazines     | m magazine magazines           | 本 杂志   | text bookish made
newspaper newspapers   | m journal journaux             | 份 报纸   | text made press
letter letters         | f lettre lettres               | 封 信     | text written lengthy
story stories          | f histoire histoires           | 个 故事   | text written lengthy good told
poem poems             | m poème poèmes                 | 首 诗     | text written lengthy
film films             | m film films                   | 部 电影   | show good lengthy
song songs             | f chanson chansons             | 首 歌曲   | lovely sung
photo photos           | f photo photos                 | 张 照片   | lovely shown
dress dresses          | f robe robes                   | 条 连衣裙 | clothes womens lovely made dyed costly used
skirt skirts           | f jupe jupes                   | 条 裙子   | clothes womens lovely made dyed costly used
shirt shirts           | f chemise chemises             | 件 衬衫   | clothes made dyed costly used
coat coats             | m manteau manteaux             | 件 大衣   | clothes made warm dyed costly used
jacket jackets         | f veste vestes                 | 件 夹克   | clothes made warm dyed costly used
sweater sweaters       | m pull pulls                   | 件 毛衣   | clothes made warm dyed costly used
hat hats               | m chapeau chapeaux             | 顶 帽子   | worn made dyed
scarf scarves          | f écharpe écharpes             | 条 围巾   | worn made warm dyed
watch watches          | f montre montres               | 块 手表   | worn made lovely device losable dyed costly
umbrella umbrellas     | m parapluie parapluies         | 把 雨伞   | losable made tool dyed
bag bags               | m sac sacs                     | 个 包     | losable container made sized dyed used
wallet wallets         | m portefeuille portefeuilles   | 个 钱包   | losable made
key keys               | f clé clés                     | 把 钥匙   | losable
phone phones           | m téléphone téléphones         | 部 手机   | losable device made machine costly used
ticket tickets         | m billet billets               | 张 票     | losable cheap
car cars | f voiture voitures | 辆 汽车 | vehicle made machine driven costly used
bike bikes | m vélo vélos | 辆 自行车 | vehicle made machine cheap costly used
truck trucks           | m camion camions               | 辆 卡车   | driven sized machine used
computer computers     | m ordinateur ordinateurs       | 台 电脑   | device made machine costly used
television televisions | f télévision télévisions       | 台 电视机 | machine made furniture used
bus -                  | m bus bus                      | 辆 公交车 | transport known
train -                | m train trains                 | 列 火车   | transport known
taxi -                 | m taxi taxis                   | 辆 出租车 | transport known
plane -                | m avion avions                 | 架 飞机   | transport known
camera cameras         | m appareil_photo appareils_photo | 台 相机 | device made machine losable costly used
lamp lamps             | f lampe lampes                 | 盏 灯     | furniture made lovely machine used
clock clocks           | f horloge horloges             | 个 闹钟   | machine made furniture used
table tables           | f table tables                 | 张 桌子   | furniture made heavy surface below sized used
chair chairs           | f chaise chaises               | 把 椅子   | furniture made seat surface below used
sofa sofas             | m canapé canapés               | 个 沙发   | furniture made seat surface used
bed beds               | m lit lits                     | 张 床     | furniture made seat surface below sized used
box boxes              | f boîte boîtes                 | 个 盒子   | container heavy sized surface
cup cups               | f tasse tasses                 | 个 杯子   | dish fragile made
plate plates           | f assiette assiettes           | 个 盘子   | dish fragile made
glass glasses          | m verre verres                 | 个 玻璃杯 | dish fragile
bottle bottles         | f bouteille bouteilles         | 个 瓶子   | fragile
knife knives           | m couteau couteaux             | 把 刀     | tool
pen pens               | m stylo stylos                 | 支 钢笔   | tool losable
pencil pencils         | m crayon crayons               | 支 铅笔   | tool
map maps               | f carte cartes                 | 张 地图   | shown tool
flower flowers         | f fleur fleurs                 | 朵 花     | lovely
tree trees             | m arbre arbres                 | 棵 树     | tall drawn
ball balls             | f balle balles                 | 个 球     | toyish sized
toy toys               | m jouet jouets                 | 个 玩具   | toyish made
gift gifts             | m cadeau cadeaux               | 个 礼物   | present sized
package packages       | m paquet paquets               | 个 包裹   | heavy sized
door -                 | f porte portes                 | 扇 门     | opening known behind
window -               | f fenêtre fenêtres             | 扇 窗户   | opening known
question questions     | f question questions           | 个 问题   | task
exercise exercises     | m exercice exercices           | 个 练习   | task
lesson lessons         | f leçon leçons                 | 节 课     | task lengthy
house houses           | f maison maisons               | 座 房子   | sized made lovely near behind
football -             | m football football            | 场 足球   | sport bare
tennis -               | m tennis tennis                | 场 网球   | sport hit bare
basketball -           | m basket basket                | 场 篮球   | sport hit bare
piano pianos           | m piano pianos                 | 架 钢琴   | instrument keyed machine made costly used
guitar guitars         | f guitare guitares             | 把 吉他   | instrument keyed made costly
violin violins         | m violon violons               | 把 小提琴 | instrument made costly
french -               | m français français            | 门 法语   | language bare
english -              | m anglais anglais              | 门 英语   | language bare
chinese -              | m chinois chinois              | 门 汉语   | language bare
spanish -              | m espagnol espagnols           | 门 西班牙语 | language bare
music -                | f musique musiques             | 首 音乐   | mass
"""

PLACES = """
kitchen -       | f cuisine cuisines             | 间 厨房   | room indoors sized @ in dans 里
bedroom -       | f chambre chambres             | 间 卧室   | room indoors sized @ in dans 里
living_room -   | m salon salons                 | 间 客厅   | room indoors sized @ in dans 里
bathroom -      | f salle_de_bain salles_de_bain | 间 浴室   | room indoors @ in dans 里
garden gardens  | m jardin jardins               | 个 花园   | indoors sized lovely @ in dans 里
office -        | m bureau bureaux               | 间 办公室 | work goal modern near @ at à -
school -        | f école écoles                 | 所 学校   | study work goal bare near @ at à -
university -    | f université universités       | 所 大学   | study work goal famous_place near @ at à -
library -       | f bibliothèque bibliothèques   | 座 图书馆 | study goal quiet modern near @ at à -
hospital -      | m hôpital hôpitaux             | 所 医院   | work goal modern near @ at à -
bank -          | f banque banques               | 家 银行   | work goal near @ at à -
factory -       | f usine usines                 | 家 工厂   | work goal near @ at à -
restaurant -    | m restaurant restaurants       | 家 餐厅   | eating goal work quiet priced good near @ at à -
hotel -         | m hôtel hôtels                 | 家 酒店   | goal work quiet priced good modern near @ at à -
market -        | m marché marchés               | 个 市场   | shop goal near @ at à -
supermarket -   | m supermarché supermarchés     | 家 超市   | shop goal work near @ at à -
bakery -        | f boulangerie boulangeries     | 家 面包店 | goal work near @ at à -
station -       | f gare gares                   | 个 火车站 | travel goal near @ at à -
airport -       | m aéroport aéroports           | 个 机场   | travel goal near @ at à -
post_office -   | f poste postes                 | 个 邮局   | goal near @ at à -
cinema -        | m cinéma cinémas               | 家 电影院 | goal near @ at à -
theater -       | m théâtre théâtres             | 个 剧院   | goal near @ at à -
museum museums  | m musée musées                 | 座 博物馆 | goal visited modern famous_place near @ at à -
zoo -           | m zoo zoos                     | 个 动物园 | goal visited near @ at à -
church churches | f église églises               | 座 教堂   | visited ancient lovely famous_place near @ in dans 里
castle castles  | m château châteaux             | 座 城堡   | visited ancient lovely famous_place near @ in dans 里
village -       | m village villages             | 个 村子   | quiet lovely ancient near @ in dans 里
park parks      | m parc parcs                   | 个 公园   | lovely sized quiet near @ in dans 里
forest -        | f forêt forêts                 | 片 森林   | near @ in dans 里
street -        | f rue rues                     | 条 街     | quiet @ in dans 上
bridge bridges  | m pont ponts                   | 座 桥     | ancient lengthy lovely near @ on sur 上
river -         | f rivière rivières             | 条 河     | near danger @ in dans 里
lake -          | m lac lacs                     | 个 湖     | near lovely @ in dans 里
beach -         | f plage plages                 | 片 海滩   | goal lovely @ at à 上
swimming_pool - | f piscine piscines             | 个 游泳池 | goal @ at à -
farm farms      | f ferme fermes                 | 个 农场   | work goal @ at à -
home -          | f maison maisons               | 个 家     | bare @ at à -
paris -         | m paris paris                  | 个 巴黎   | city name @ in à -
london -        | m londres londres              | 个 伦敦   | city name @ in à -
rome -          | f rome rome                    | 个 罗马   | city name @ in à -
berlin -        | m berlin berlin                | 个 柏林   | city name @ in à -
beijing -       | m pékin pékin                  | 个 北京   | city name @ in à -
france -        | f france france                | 个 法国   | country bare @ in en -
china -         | f chine chine                  | 个 中国   | country bare @ in en -
italy -         | f italie italie                | 个 意大利 | country bare @ in en -
spain -         | f espagne espagne              | 个 西班牙 | country bare @ in en -
japan -         | m japon japon                  | 个 日本   | country bare @ in à -
canada -        | m canada canada                | 个 加拿大 | country bare @ in à -
"""


def _words(cell: str) -> list[str]:
    """The words of one cell of a table: ``_`` is a space inside a word, ``-`` an absent form."""
    return ["" if word == "-" else word.replace("_", " ") for word in cell.split()]


def _spellings(*forms: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(form.split()) for form in forms if form)


def _noun(line: str, group: str) -> Noun:
    line, _, at = line.partition("@")
    english, french, chinese, tags = (cell.strip() for cell in line.split("|"))
    singular, plural = _words(english)
    gender, one, many, other = (*_words(french), "")[:4]
    measure, word = _words(chinese)
    preposition = None
    if at:
        first, second, localiser = _words(at)
        preposition = Preposition(_spellings(first), first, second, localiser)
    names = frozenset({group, *tags.split(), english.split()[0]})
    return Noun(
        _spellings(singular, plural), singular, plural, one, many, gender == "f", other, word, measure, names,
        preposition,
    )  # fmt: skip


def _table(text: str, group: str) -> tuple[Noun, ...]:
    return tuple(_noun(line, group) for line in text.strip().splitlines())


NOUNS: tuple[Noun, ...] = (
    *_table(PEOPLE, "person"),
    *_table(NAMES, "person"),
    *_table(ANIMALS, "animal"),
    *_table(FOOD, "food"),
    *_table(THINGS, "thing"),
    *_table(PLACES, "place"),
)
BY_NAME: dict[str, Noun] = {(noun.singular or noun.plural).replace(" ", "_"): noun for noun in NOUNS}


@cache
def tagged(names: str) -> tuple[Noun, ...]:
    """The nouns that have any of the tags in ``names``, which are apart by spaces; a noun's name is a tag too.

    Raises:
        ValueError: no noun has one of the tags.
    """
    found: dict[Noun, None] = {}
    for tag in names.split():
        nouns = [noun for noun in NOUNS if tag in noun.tags]
        if not nouns:
            raise ValueError(f"names has the tag {tag!r}: wanted one that some noun has")
        found.update(dict.fromkeys(nouns))
    return tuple(found)
