import type { Language } from './languages.ts';

/** Groups of words, separated by commas, that stemming does not connect. */
interface RelatedWords {
  /** Irregular forms. */
  forms: string;
  /** Synonyms. */
  meanings: string;
}

const RELATED_WORDS: Partial<Record<Language, RelatedWords>> = {
  english: {
    forms:
      'arise arose arisen,become became,begin began begun,bind bound,bite bit bitten,blow blew blown,break broke broken,' +
      'breed bred,bring brought,build built,burn burnt,buy bought,catch caught,choose chose chosen,come came,' +
      'deal dealt,dig dug,do did done,draw drew drawn,drink drank drunk,drive drove driven,eat ate eaten,fall fell fallen,' +
      'feed fed,feel felt,fight fought,find found,flee fled,fly flew flown,forbid forbade forbidden,forget forgot forgotten,' +
      'freeze froze frozen,get got gotten,give gave given,go went gone,grow grew grown,hang hung,have had,hear heard,' +
      'hide hid hidden,hold held,keep kept,know knew known,lay laid,lead led,leave left,lend lent,lie lay lain,' +
      'lose lost loss,make made,mean meant,meet met,pay paid,ride rode ridden,ring rang rung,rise rose risen,run ran,' +
      'say said,see saw seen,seek sought,sell sold sale,send sent,shake shook shaken,shine shone,shoot shot,show shown,' +
      'shrink shrank shrunk,sing sang sung song,sink sank sunk,sit sat,sleep slept,slide slid,speak spoke spoken speech,spend spent,' +
      'spin spun,stand stood,steal stole stolen,stick stuck,strike struck,swear swore sworn,swim swam swum,take took taken,' +
      'teach taught,tear tore torn,tell told,think thought,throw threw thrown,understand understood,wake woke woken,' +
      'wear wore worn,win won winner,write wrote written,man men,woman women,child children,foot feet,tooth teeth,mouse mice,' +
      'person people,life lives live,leaf leaves,half halves,wolf wolves,thief thieves,crisis crises,die died dying death dead,' +
      'born birth,high height,long length,wide width,deep depth,strong strength,hot heat,choose choice,behave behaviour behavior,' +
      'colour color,centre center,favour favor,labour labor,metre meter,theatre theater,defence defense,one first,two second twice,' +
      'three third,four fourth,five fifth,sea marine,city urban,king royal,moon lunar,sun solar,mouth oral,heart cardiac',
    meanings:
      'begin start commence open launch initiate,end finish conclude complete terminate cease stop,build construct erect,' +
      'make create produce manufacture,found establish set create form,big large huge great vast,small little tiny,' +
      'die perish kill,kill murder slay assassinate execute,buy purchase acquire,sell trade,get obtain receive gain acquire,' +
      'give provide supply grant offer,use employ utilize apply,help aid assist support,show display exhibit demonstrate,' +
      'find discover detect,invent devise develop design,write author pen compose,writer author,leader head chief ruler,' +
      'king monarch ruler emperor sovereign,city town municipality,country nation state,area region zone territory,' +
      'people inhabitants population residents,house home residence dwelling,job occupation profession work career,' +
      'live reside dwell inhabit,located situated lie found,name call term title known,say state claim declare assert,' +
      'think believe consider regard,want wish desire,need require necessary,change alter modify transform,' +
      'grow increase rise expand,decrease decline fall drop reduce,fast quick rapid speed,slow gradual,old ancient early,' +
      'new modern recent novel,begin origin originate,war conflict,battle fight combat,attack assault invade raid,' +
      'defeat beat conquer overcome win,victory win triumph,army military troops forces soldiers,ship vessel boat,' +
      'car vehicle automobile,plane aircraft airplane,road street route highway,money funds currency,cost price expense fee charge,' +
      'pay fund finance,rich wealthy,poor poverty,illness disease sickness,doctor physician,medicine drug medication,' +
      'school college university academy,student pupil,teacher instructor professor,book work publication,movie film picture,' +
      'song music tune,child kid son daughter,father parent,mother parent,wife spouse married husband,marry wed wife husband marriage,' +
      'friend ally companion,enemy opponent rival foe,law act legislation statute rule,government administration authority,' +
      'vote elect election,choose select pick elect appoint,responsible charge,important significant major key,main primary principal chief,' +
      'part portion section component piece,kind type sort variety form,way method means manner,reason cause why,' +
      'cause lead result trigger,result effect consequence outcome,problem difficulty issue trouble,difficult hard,easy simple,' +
      'stop prevent halt block,allow permit let enable,forbid ban prohibit,protect defend guard preserve,destroy ruin demolish wreck,' +
      'fix repair mend,join unite combine merge connect,divide split separate,leave depart exit,arrive reach come,travel journey trip voyage,' +
      'move relocate transfer,carry transport convey,hit strike,throw hurl cast,fire burn blaze flame,water liquid,ocean sea,river stream,' +
      'hill mountain peak,land territory ground,stone rock,gold precious,plant vegetation,animal creature,forest woods jungle,' +
      'eat consume feed,food diet meal,drink beverage,year annual,yearly annual,daily day,often frequent common,rare uncommon,' +
      'usual typical normal common,famous renowned celebrated known,popular common,big major,top highest peak maximum,bottom lowest minimum,' +
      'number amount quantity count total,entire whole full complete,half fifty,test exam trial,job task duty,boss manager,' +
      'company firm business corporation,worker employee staff labourer,hire employ recruit,fire dismiss,teach educate instruct,' +
      'learn study,know knowledge aware,theory hypothesis idea,scientist researcher,research study investigation,measure gauge,' +
      'energy power,heat warm temperature,cold cool,light bright,dark black,loud noise sound,happen occur take,near close,far distant,' +
      'replace substitute succeed,successor succeed follow,predecessor precede before,similar like same alike,different differ other,' +
      'opinion view belief,religion faith belief,church religious,god deity divine,holy sacred,prison jail,crime offence offense,' +
      'guilty convicted,refuse reject decline,agree accept,agreement treaty pact deal,fear afraid,hate dislike,like love enjoy prefer,' +
      'win award prize,prize award,suggest propose recommend,ask request,answer reply respond,open hours,opening hours,cancel cancellation,' +
      'refund reimburse,delivery shipping deliver ship,order purchase,book reserve booking reservation,appointment meeting,check look view,phone telephone call,mail email,age old,tall high height,' +
      'heavy weigh weight,wide broad width,deep depth,original first initial,last final,several many multiple numerous,sport game,player athlete,' +
      'team club squad,coach trainer,match game,stadium arena venue,host hold,performer singer artist,painter artist,painting picture art',
  },
  spanish: {
    forms:
      'ser fue era fueron eran siendo sido,ir iba iban,hacer hizo hicieron hecho hace,decir dijo dijeron dicho dice,tener tuvo tenía tiene tienen,' +
      'poder pudo podía puede,poner puso pusieron puesto pone,saber supo,querer quiso quiere,venir vino vinieron viene,' +
      'traer trajo,dar dio dieron,ver vio visto,morir murió murieron muerto muere muerte,dormir durmió,pedir pidió pide,' +
      'seguir siguió sigue,servir sirvió sirve,elegir eligió elige elegido elección,conseguir consiguió consigue,construir construyó construcción,' +
      'destruir destruyó destrucción,caer cayó caída,leer leyó,oír oyó,creer creyó creencia,producir produjo producción produce,' +
      'conducir condujo,traducir tradujo,introducir introdujo,reducir redujo reducción,obtener obtuvo obtiene,mantener mantuvo mantiene,' +
      'contener contuvo contiene,volver vuelto vuelve,abrir abierto,cubrir cubierto,descubrir descubierto descubrimiento descubridor,' +
      'escribir escrito escritor,romper roto,resolver resuelto,perder pierde pérdida,empezar empieza,comenzar comienza comienzo,' +
      'encontrar encuentra,contar cuenta,mostrar muestra,convertir convirtió convierte,sentir sintió,preferir prefiere,' +
      'nacer nació nacimiento nacido,crecer crece crecimiento,haber hubo había hay,estar estuvo estaba está están,andar anduvo,' +
      'distribuir distribuye,incluir incluye incluyó,contribuir contribuyó contribuye,huir huyó huye,influir influyó influye influencia,' +
      'vencer victoria,ganar ganador,rey real,ciudad urbano,mar marino marítimo,luna lunar,sol solar,tierra terrestre,guerra bélico,' +
      'uno primero primer,dos segundo,tres tercero tercer,fuerte fuerza,alto altura,largo longitud,ancho anchura,profundo profundidad,' +
      'grande gran tamaño,bueno buen mejor,malo mal peor,lluvia llover llueve,nieve nevar,padre paterno,madre materno',
    meanings:
      'empezar comenzar iniciar inicio comienzo principio,terminar acabar finalizar concluir fin final,construir edificar levantar erigir,' +
      'crear fundar establecer hacer,fabricar producir elaborar,grande enorme gran vasto,pequeño diminuto,morir fallecer muerte fallecimiento,' +
      'matar asesinar ejecutar,comprar adquirir,obtener conseguir recibir lograr,dar ofrecer proporcionar otorgar conceder,' +
      'usar utilizar emplear uso,ayudar apoyar asistir ayuda,mostrar exhibir demostrar,encontrar hallar descubrir,inventar idear diseñar,' +
      'escritor autor,escribir redactar componer,líder jefe dirigente cabeza,rey monarca soberano emperador,ciudad localidad urbe población,' +
      'país nación estado,zona región área territorio,habitantes población gente personas,casa hogar vivienda residencia,' +
      'trabajo empleo profesión oficio ocupación,vivir residir habitar,situado ubicado localizado encontrar,llamar denominar nombrar nombre conocer,' +
      'decir afirmar declarar,pensar creer considerar,necesitar requerir,cambiar modificar transformar,aumentar crecer incrementar,' +
      'disminuir reducir bajar descender,rápido veloz velocidad,antiguo viejo,nuevo moderno reciente,guerra conflicto,batalla combate lucha,' +
      'atacar invadir asaltar,vencer derrotar ganar conquistar,ejército militar tropas fuerzas soldados,barco buque nave embarcación,' +
      'coche automóvil vehículo carro,avión aeronave,camino carretera vía ruta,dinero fondos moneda,precio coste costo valor tarifa,' +
      'enfermedad dolencia mal,médico doctor,medicamento medicina fármaco,escuela colegio universidad academia,alumno estudiante,' +
      'maestro profesor docente,libro obra,película filme cine,canción música tema,hijo niño,esposa mujer esposo marido casar cónyuge,' +
      'casar matrimonio boda,amigo aliado,enemigo rival adversario,ley norma legislación,gobierno administración,votar elegir elección,' +
      'elegir seleccionar escoger nombrar designar,importante significativo relevante,principal mayor fundamental,parte porción sección pieza,' +
      'tipo clase especie,modo manera forma método,razón causa motivo,causar provocar ocasionar originar,resultado consecuencia efecto,' +
      'problema dificultad,difícil complicado,fácil sencillo,impedir evitar detener,permitir autorizar,prohibir vetar,proteger defender,' +
      'destruir arrasar demoler,reparar arreglar,unir juntar combinar conectar,dividir separar,salir partir marchar,llegar alcanzar,' +
      'viaje viajar travesía,llevar transportar,fuego incendio llama,océano mar,río corriente,montaña monte cerro pico,piedra roca,' +
      'planta vegetación,animal criatura,bosque selva,comer alimentar consumir,comida alimento dieta,bebida beber,anual año,frecuente común habitual,' +
      'famoso célebre conocido,número cantidad total cifra,entero completo todo,empresa compañía negocio,trabajador empleado obrero,enseñar educar,' +
      'aprender estudiar,teoría hipótesis idea,científico investigador,investigación estudio,energía potencia,calor temperatura,ocurrir suceder pasar,' +
      'cerca próximo,sustituir reemplazar,sucesor suceder,similar parecido semejante,diferente distinto,religión fe creencia,iglesia templo,' +
      'cárcel prisión,acuerdo tratado pacto,premio galardón,proponer sugerir,pedir solicitar,responder contestar,horario abrir,envío entrega enviar,' +
      'pedido orden,reservar reserva,cita turno,devolver reembolso,teléfono llamar móvil,correo email,peso pesar,edad años,último final,varios múltiples numerosos,equipo club,' +
      'partido juego encuentro,jugador deportista,estadio sede,pintor artista,cantante artista,cuadro pintura',
  },
  german: {
    forms:
      'beginnen begann begonnen beginn,bieten bot geboten angebot,binden band gebunden,bleiben blieb geblieben,brechen brach gebrochen,' +
      'brennen brannte gebrannt brand,bringen brachte gebracht,denken dachte gedacht,dürfen durfte darf,empfangen empfing,' +
      'entscheiden entschied entschieden entscheidung,essen aß gegessen,fahren fuhr gefahren fahrt,fallen fiel gefallen fall,fangen fing gefangen,' +
      'finden fand gefunden fund,fliegen flog geflogen flug,fliehen floh geflohen flucht,fließen floss geflossen fluss,geben gab gegeben gibt,' +
      'gehen ging gegangen gang,gelingen gelang gelungen,gelten galt gegolten gilt,genießen genoss,geschehen geschah geschieht,' +
      'gewinnen gewann gewonnen gewinn gewinner,greifen griff gegriffen,haben hatte gehabt hat,halten hielt gehalten hält,hängen hing,heben hob gehoben,' +
      'heißen hieß geheißen,helfen half geholfen hilfe,kennen kannte gekannt bekannt,kommen kam gekommen,laden lud geladen,lassen ließ gelassen,' +
      'laufen lief gelaufen lauf,leiden litt gelitten,lesen las gelesen,liegen lag gelegen liegt lage,messen maß gemessen,nehmen nahm genommen nimmt,' +
      'nennen nannte genannt name,raten riet,reißen riss,rufen rief gerufen ruf,schaffen schuf geschaffen,scheiden schied,scheinen schien,' +
      'schießen schoss geschossen schuss,schlagen schlug geschlagen schlag,schließen schloss geschlossen schluss,schneiden schnitt geschnitten,' +
      'schreiben schrieb geschrieben schrift,schwimmen schwamm geschwommen,sehen sah gesehen sicht,sein war gewesen ist sind waren,singen sang gesungen gesang,' +
      'sinken sank gesunken,sitzen saß gesessen sitz,sprechen sprach gesprochen sprache,springen sprang gesprungen,stehen stand gestanden,' +
      'steigen stieg gestiegen,sterben starb gestorben tod tot,stoßen stieß,streiten stritt,tragen trug getragen,treffen traf getroffen,' +
      'treiben trieb getrieben,treten trat getreten,trinken trank getrunken,tun tat getan,verbieten verbot verboten,verbinden verband verbunden,' +
      'vergehen verging,verlieren verlor verloren verlust,verschwinden verschwand verschwunden,wachsen wuchs gewachsen wachstum,waschen wusch,' +
      'weisen wies gewiesen,werden wurde geworden wird,werfen warf geworfen,wissen wusste gewusst weiß,ziehen zog gezogen zug,zwingen zwang gezwungen,' +
      'bestehen bestand bestanden besteht,entstehen entstand entstanden entstehung,verstehen verstand verstanden,erhalten erhielt erhält,' +
      'enthalten enthielt enthält,verlassen verließ,entlassen entließ,erfinden erfand erfunden erfinder erfindung,bekommen bekam,' +
      'anfangen fing anfang angefangen,gebären geboren geburt,hoch hohe höhe höher höchste,groß größe größer größte,lang länge länger,breit breite,' +
      'tief tiefe,stark stärke,gut besser beste,viel mehr meiste,nah nahe näher nächste,alt älter älteste alter,jung jünger jüngste,' +
      'eins erste,zwei zweite,drei dritte,mond lunar,sonne solar,stadt städtisch städte,könig königlich,krieg kriegerisch,' +
      'arzt ärzte ärztlich,haus häuser,buch bücher,land länder,wort wörter,volk völker,mann männer,kind kinder,sohn söhne,tochter töchter',
    meanings:
      'beginnen anfangen starten eröffnen beginn anfang,enden aufhören abschließen beenden ende schluss,bauen errichten erbauen konstruieren,' +
      'schaffen gründen erschaffen bilden,herstellen produzieren erzeugen fertigen,groß riesig gewaltig,klein winzig,sterben tod umkommen,' +
      'töten ermorden hinrichten umbringen erschlagen,kaufen erwerben,bekommen erhalten empfangen kriegen,geben bieten liefern gewähren,' +
      'benutzen verwenden nutzen gebrauchen einsetzen,helfen unterstützen beistehen,zeigen darstellen vorführen,finden entdecken auffinden,' +
      'erfinden entwickeln entwerfen,autor verfasser schriftsteller dichter,schreiben verfassen,leiter chef führer anführer oberhaupt leiten führen,' +
      'könig herrscher monarch kaiser,herrschen regieren,stadt ort gemeinde,land staat nation,gebiet region gegend raum zone,' +
      'einwohner bevölkerung menschen bewohner,haus wohnung gebäude,beruf arbeit tätigkeit,wohnen leben,liegen befinden gelegen,' +
      'nennen heißen bezeichnen name,sagen erklären behaupten,glauben meinen halten,brauchen benötigen nötig erforderlich,ändern verändern wandeln umwandeln,' +
      'wachsen zunehmen steigen erhöhen,sinken abnehmen fallen zurückgehen verringern,schnell rasch geschwindigkeit tempo,alt früh antik,neu modern jung,' +
      'krieg konflikt,schlacht kampf gefecht,angreifen überfallen einmarschieren,besiegen schlagen siegen gewinnen erobern,sieg triumph,' +
      'armee heer truppen militär soldaten,schiff boot,auto wagen fahrzeug,flugzeug maschine,straße weg route,geld mittel währung,preis kosten gebühr wert,' +
      'reich wohlhabend,krankheit leiden seuche,arzt mediziner doktor,medikament arznei mittel,schule universität hochschule,schüler student,lehrer professor,' +
      'buch werk,film kino,lied musik stück,kind sohn tochter,frau gattin ehefrau,mann gatte ehemann,heiraten ehe hochzeit heirat,freund verbündeter,' +
      'feind gegner rivale,gesetz vorschrift recht regelung,regierung verwaltung,wählen bestimmen wahl,ernennen berufen bestimmen,wichtig bedeutend wesentlich,' +
      'haupt wichtigste,teil abschnitt stück bestandteil,sorte typ form,weise methode verfahren mittel,grund ursache anlass,verursachen auslösen bewirken,' +
      'ergebnis folge wirkung,problem schwierigkeit,schwierig schwer,einfach leicht,verhindern vermeiden aufhalten,erlauben gestatten zulassen dürfen,' +
      'verbieten untersagen,schützen verteidigen bewahren,zerstören vernichten,reparieren instandsetzen,verbinden vereinen vereinigen zusammenschließen,' +
      'teilen trennen,verlassen abreisen,ankommen erreichen eintreffen,reise fahrt,tragen transportieren befördern,feuer brand,ozean meer see,fluss strom,' +
      'berg gebirge gipfel,stein fels gestein,pflanze gewächs,tier lebewesen,wald forst,essen nahrung fressen ernähren,trinken getränk,jährlich jahr,' +
      'häufig oft verbreitet,selten rar,berühmt bekannt,zahl anzahl menge,ganz gesamt vollständig,firma unternehmen betrieb,arbeiter angestellter mitarbeiter,' +
      'lehren unterrichten,lernen studieren,theorie hypothese idee,wissenschaftler forscher,forschung untersuchung studie,energie kraft leistung,' +
      'wärme hitze temperatur,geschehen passieren ereignen,nahe nah,ersetzen austauschen ablösen,nachfolger folgen,vorgänger,ähnlich gleich,' +
      'unterschiedlich verschieden anders,religion glaube,kirche religiös,gefängnis haft,abkommen vertrag vereinbarung,preis auszeichnung,' +
      'vorschlagen anregen,bitten fordern verlangen,antworten erwidern,öffnungszeiten geöffnet öffnen,lieferung versand liefern,bestellung auftrag,buchen reservieren buchung reservierung,termin verabredung,' +
      'rückerstattung erstatten,telefon anruf anrufen,mail email,gewicht wiegen schwer,letzte final,mehrere verschiedene zahlreiche,mannschaft team verein,' +
      'spiel partie begegnung,spieler sportler,stadion arena,maler künstler,bild gemälde',
  },
};

const groupsOf = (list: string): string[][] => list.split(',').map((group) => group.trim().split(' '));

export function relatedWords(language: Language): { forms: string[][]; meanings: string[][] } {
  const related = RELATED_WORDS[language];
  return related === undefined
    ? { forms: [], meanings: [] }
    : { forms: groupsOf(related.forms), meanings: groupsOf(related.meanings) };
}
