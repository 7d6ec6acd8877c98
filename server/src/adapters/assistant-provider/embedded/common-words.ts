import type { Language } from './languages.ts';

/** Common base forms, without stop words and question words. Matching one of them is weak evidence. */
const COMMON_WORDS: Partial<Record<Language, string>> = {
  english:
    'able about above accept accord account achieve across act action active activity actual actually add addition ' +
    'affect after again against age ago agree aim air allow almost alone along already although always among amount ' +
    'ancient annual another answer any anyone anything apart appear apply approach area arise around arrange arrive ask ' +
    'associate attempt attention available average avoid away back bad base basic basis bear beat beautiful because ' +
    'before begin behind belief believe belong below beside best better between beyond big bit black blue board body ' +
    'book both bottom branch break bring build building burn business buy by call carry case catch cause center central ' +
    'centre certain chance change character charge chief child children choose city claim class clear close cold ' +
    'collect color combine come common community company compare complete concern condition connect consider consist ' +
    'constant contain continue contribute control cost count country course cover create cross current cut daily damage ' +
    'dark day dead deal death decide decision decline decrease deep degree depend describe design despite destroy ' +
    'detail determine develop development device die difference different difficult direct direction discover discovery ' +
    'discuss disappear distance divide double draw drive drop due during early earn east easy eat edge effect eight ' +
    'either else employ empty enable encourage end enough enter entire equal especially establish even event eventually ' +
    'ever every everyone everything evidence exact example except exist expect expensive experience explain express ' +
    'extend extent external face fact fail fall false family famous fast father feature feel few field fifth fight ' +
    'figure fill final finally find fine finish fire first fit five fix follow food foot force foreign form former ' +
    'forward found four fourth free frequent full function fund further future gain gather general get give go goal good ' +
    'govern government great green ground group grow growth half hand happen hard head hear heart heat heavy height ' +
    'help hide high hold home hope hot hour house human hundred idea identify image impact important improve include ' +
    'increase independent indicate individual influence inform information initial inside instead intend interest ' +
    'internal introduce invent involve issue item join journey judge just keep key kill kind know knowledge lack land ' +
    'language large last late later launch law lay lead leader learn least leave left less let letter level lie life ' +
    'light like likely limit line link list little live local locate location long look lose loss lot low main maintain ' +
    'major majority make man manage manner many mark market material matter maximum mean measure meet member mention ' +
    'method middle might million mind minimum minor minute modern moment money month more most mother move movement ' +
    'much multiple name nation national natural nature near nearly necessary need never new next night nine nobody ' +
    'normal north note nothing notice now number object observe obtain occur offer office official often old once one ' +
    'only open operate opinion opposite order organization origin original other outside over own page pair part ' +
    'particular partly party pass past pay people perform perhaps period permit person piece place plan play point ' +
    'popular population position possible power practice prefer prepare present press prevent previous primary private ' +
    'probably problem process produce product production program project proper propose protect prove provide public ' +
    'publish purpose push put quality quantity quarter question quick quickly quite raise range rapid rare rate rather ' +
    'reach read ready real really reason receive recent record red reduce refer reflect regard region related relation ' +
    'release remain remember remove repeat replace reply report represent require research reside respond response rest ' +
    'result return reveal rich right rise role room rule run safe same save scale school second section see seek seem ' +
    'select sell send sense separate serious serve service set settle seven several shape share short show side ' +
    'sign significant similar simple simply since single site situation six size slow small social society sometimes ' +
    'soon sound source south space speak special specific speed spend spread stage stand standard start state stay step ' +
    'still stop store story street strong structure study style subject succeed success such sudden suffer suggest ' +
    'suitable support sure surface surround survive system take talk task teach team tell ten tend term test theory ' +
    'therefore thing think third thousand threat three time title today together top total toward town trade tradition ' +
    'train travel treat tree true try turn twice two type typical under understand unit unite until upper use useful ' +
    'usual usually valuable value various version view visit wait walk wall want war watch water way weak week weight ' +
    'well west white whole wide win wish within without woman women word work world worth write wrong year yet young zero',
  spanish:
    'abajo abierto abrir absoluto acabar acceso acción aceptar acercar acompañar acordar acto actual actualidad actuar ' +
    'acuerdo adelante además afectar afirmar agua aire alcanzar alguien algún alguno alrededor alto amplio anterior ' +
    'antes antiguo anual aparecer aplicar apoyar aprender aprobar aproximadamente aquel área arriba artículo asegurar ' +
    'así aspecto atrás aumentar aumento aún aunque autor avanzar ayuda ayudar bajar bajo base básico bastante bien blanco ' +
    'bueno buscar caber cabeza cada caer calidad calle calor cambiar cambio camino campo cantidad capaz capacidad cara ' +
    'carácter característica cargo casa casi caso causa causar central centro cerca cerrar cien cierto cinco ciudad ' +
    'claro clase color comenzar comer común comparar completo componer comprar común comunidad concepto condición ' +
    'conocer conseguir considerar consistir constante construir contar contener continuar contra contrario contribuir ' +
    'control controlar convertir correr corresponder corriente corto cosa costa crear crecer creer cruzar cuarto ' +
    'cuatro cubrir cuerpo cuestión cultura cumplir curso dar dato deber decidir decir decisión dedicar dejar demás ' +
    'demasiado demostrar dentro depender derecho desaparecer desarrollar desarrollo describir descubrir desde después ' +
    'destacar destruir determinar día diez diferencia diferente difícil dinero dirección directo dirigir diseñar ' +
    'distancia distinto distribuir dividir doble doce duro durante edad edificio efecto ejemplo elegir elemento empezar ' +
    'emplear empresa encargar encima encontrar enorme enseñar entender entero entonces entrar época escribir escuela ' +
    'espacio especial especie específico esperar establecer estado estar este estilo estructura estudiar estudio etapa ' +
    'evitar exacto existir éxito experiencia explicar expresar extender extenso exterior extremo fácil falta faltar ' +
    'familia famoso favor figura fin final finalmente físico forma formar frecuente frente frío fuego fuente fuera ' +
    'fuerte fuerza función funcionar fundar futuro ganar general gente gobierno gran grande grupo haber habitante hablar ' +
    'hacer hacia hallar hasta hecho hijo historia hogar hombre hora humano idea identificar igual imagen impedir ' +
    'importancia importante incluir incluso indicar individuo influencia influir información iniciar inicio intentar ' +
    'interés interior interno introducir inventar ir izquierdo joven juego jugar junto lado largo lengua lento letra ley ' +
    'libre libro limitar límite línea llamar llegar llenar llevar local lograr lugar luz madre mal malo mandar manera ' +
    'mano mantener mar marcar más material mayor mayoría medida medio medir mejor mejorar mencionar menor menos mes ' +
    'mientras mil millón mínimo minuto mirar mismo mitad modelo moderno modificar modo momento morir mostrar mover ' +
    'movimiento muchos muerte mujer mundial mundo muy nacer nacional nacimiento nada natural naturaleza necesario ' +
    'necesidad necesitar negro ninguno nivel noche nombrar norma normal norte nuevo nueve número nunca objetivo objeto ' +
    'obra observar obtener ocasión ocho ocupar ocurrir oeste oficial ofrecer oír opinión orden organización origen ' +
    'original oscuro otorgar otro padre país palabra papel par parar parecer pared parte participar particular partida ' +
    'partido partir pasado pasar paso pedir pensar pequeño perder periodo período permanecer permitir persona personal ' +
    'pertenecer pesar peso pie piedra pieza plan plano población pobre poco poder popular posibilidad posible posición ' +
    'práctica preciso preferir pregunta presencia presentar presente primer primero principal principio privado ' +
    'probable problema proceder proceso producción producir producto pronto propio proponer proporcionar proteger ' +
    'provocar próximo proyecto publicar público pueblo punto quedar querer quinto quitar rápido rara raro razón real ' +
    'realidad realizar recibir recoger reconocer recordar recurso reducir referir regla relación relacionado ' +
    'representar responder respuesta resto resultado resultar reunir rico rojo romper saber sacar salir sector segundo ' +
    'seguir seguro seis semana semejante sencillo sentido sentir señalar separar serie servicio servir siempre siete ' +
    'siglo significado significar siguiente similar simple sin sistema sitio situación situar sobre social sociedad solo ' +
    'soler sonido subir suceder suelo suficiente sufrir superar superficie superior suponer sur surgir sustituir tal ' +
    'tamaño también tampoco tarde tema temperatura temporal tener tercer tercero terminar tiempo tierra tipo título todo ' +
    'tomar total trabajar trabajo tradicional traer transformar tras tratar través tres último único unidad unir usar uso ' +
    'útil utilizar valor varios veces veinte vender venir ver verdad verdadero versión vez vía viaje vida viejo vista ' +
    'vivir volver zona',
  german:
    'abend aber ablehnen absicht acht achten allein allgemein allmählich alltag als alter ältere anbieten ander ändern ' +
    'anders anfang anfangen anfangs angeben angehören ansehen ansicht anteil antwort anwenden anzahl arbeit arbeiten ' +
    'arten aufbau aufgabe aufgeben aufhören aufnehmen auftreten auge ausdruck außen außer außerdem außerhalb aussehen ' +
    'auswirkung bald bauen baum bedeuten bedeutend bedeutung bedingung beenden befinden beginn beginnen begriff ' +
    'begründen behalten behandeln behaupten beide beispiel beitragen bekannt bekommen belegen bereich bereits berg ' +
    'bericht berichten beruf berühmt beschäftigen beschließen beschreiben besitzen besonder besonders bessere best ' +
    'bestehen bestimmen bestimmt besuch besuchen betragen betreffen betreiben bewegen bewegung beziehen bezeichnen bild ' +
    'bilden bisher bleiben boden brauchen breit brennen brief bringen buch dabei dadurch dafür dagegen damals danach ' +
    'daran darauf darstellen darüber dauer dauern denken deshalb deutlich dienen ding direkt doppelt dort drei dringen ' +
    'dritte drittel druck dunkel dünn durchführen durchschnitt eben ebenfalls ebenso ehemalig eigen eigenschaft ' +
    'eigentlich einfach einfluss einführen einführung einig einige einrichten einsatz einsetzen einst einzeln einzig ' +
    'empfangen ende enden endlich eng enthalten entdecken entfernen entfernung entscheiden entscheidung entsprechen ' +
    'entstehen entstehung entwickeln entwicklung ereignis erfahren erfinden erfindung erfolg erfolgen erfolgreich ' +
    'erfüllen ergeben ergebnis erhalten erheben erhöhen erinnern erkennen erklären erlauben ermöglichen ernennen erneut ' +
    'eröffnen erreichen errichten erscheinen erst erste ersetzen erstrecken erwähnen erwarten erzählen erzeugen essen ' +
    'etwa etwas fähigkeit fahren fall fallen falsch familie farbe fast fehlen feld fern fertig fest feststellen feuer ' +
    'finden fläche fließen folge folgen folgend fordern form fördern forschen forscher forschung fortsetzen frage fragen ' +
    'frau frei fremd früh früher führen fünf funktion gang ganz gebäude geben gebiet gebrauch geburt gefahr gefährlich ' +
    'gegen gegend gegenstand gegenteil gehen gehören gelangen geld gelingen gelten gemein gemeinsam genau genug gerade ' +
    'gering gesamt geschehen geschichte gesellschaft gesetz gestalt gewinnen gewisse gewöhnlich gleich gleichzeitig ' +
    'grenze groß größe größere größte großteil grund gründen grundlage gruppe gut hälfte halten hand handeln hängen ' +
    'hart häufig haupt haus heben heiß helfen hell heran herrschen herstellen herum heute heutig hilfe himmel hinter ' +
    'hinweis höhe höhere höchst hören hundert idee innen inner innerhalb insgesamt interesse jährlich jedoch jemand jung ' +
    'junge kalt kampf kein kennen kind klar klein kleinste kommen konkret kontrollieren kopf körper kosten kraft kräftig ' +
    'kraftvoll kreis kurz lage land lang langsam lassen laufen leben lebend leer legen lehren leicht leiden leisten ' +
    'leistung leiten leiter lernen lesen letzte leute licht liefern liegen linie links los luft machen macht mal manche ' +
    'mann maß maximal mehr mehrere mehrheit meinen meinung meist meiste mensch merkmal messen methode minute mitglied ' +
    'mitte mittel mittlere möglich möglichkeit monat morgen mutter nah nahe nähe name nation natur natürlich nehmen ' +
    'neu neun nie niedrig niemand norden normal nötig notwendig nummer nutzen nutzung oben ober obere obwohl offen ' +
    'offiziell öffentlich öffnen oft ordnung ort osten paar person pflanze plan platz plötzlich preis problem produkt ' +
    'punkt quelle rand rasch raum rechnen recht rechte rechts regel regeln regelmäßig regierung region reich reichen ' +
    'reihe rein reise richten richtig richtung rolle rot rückgang rufen ruhe rund sache sagen schaffen schicken schlagen ' +
    'schlecht schließen schließlich schnell schon schön schreiben schritt schule schützen schutz schwach schwarz schwer ' +
    'sechs sehen sehr seite selten setzen sicher sieben sinken sinn sitz sitzen sofort sogar sogenannt sonst sorgen ' +
    'sowie später spielen sprache sprechen spur staat stadt stamm stammen stand standort stark statt stattfinden stehen ' +
    'steigen stein stelle stellen sterben stets stoff straße streng stück studie stunde suchen süden system tag täglich ' +
    'tatsache tatsächlich tausend teil teilen teilnehmen teilweise thema tief tier tod tragen treffen treiben trennen ' +
    'treten trotz trotzdem typ typisch übergang überleben übernehmen übertragen überwiegend üblich übrig ufer umfang ' +
    'umfassen umgeben umgebung unabhängig ungefähr unterscheiden unterschied unterschiedlich unterstützen untersuchen ' +
    'untersuchung ursache ursprung ursprünglich vater verändern veränderung verbessern verbieten verbinden verbindung ' +
    'verbreiten verdanken verdienen verfahren verfolgen verfügen vergangenheit vergeben vergleich vergleichen verhalten ' +
    'verhältnis verhindern verkaufen verlassen verlaufen verlegen verlieren verlust vermeiden vermuten veröffentlichen ' +
    'verschieden verschwinden versuch versuchen verteilen vertreten verwandeln verwenden verwendung volk voll völlig ' +
    'vollständig voraussetzung vorbei vorgehen vorher vorhanden vorkommen vorne vorschlagen vorstellen wachsen wachstum ' +
    'wahl wählen wahr während wahrscheinlich wand ware warten wasser wechseln weg weil weise weiß weit weiter weitere ' +
    'weitgehend welt weltweit wenig weniger wenigste werk wert wesentlich westen wichtig wiederum wind wirken wirklich ' +
    'wirkung wirtschaft wissen wissenschaft woche wohl wohnen wort wunsch zahlen zahlreich zehn zeichen zeigen zeit ' +
    'zeitpunkt ziehen ziel zudem zuerst zufällig zugang zugleich zukunft zuletzt zunächst zunehmen zurück zusammen ' +
    'zusätzlich zustand zwei zweite zwischen',
};

export function commonWords(language: Language): readonly string[] {
  return COMMON_WORDS[language]?.split(' ') ?? [];
}
