package protocol

import (
	"math"
	"reflect"
	"strconv"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// arbitrary builds values of the contract's Go types from bytes. It goes by reflection, so that a field that someone
// adds to a type and forgets in a converter makes the round trip fail.
type arbitrary struct {
	data []byte
	sets map[reflect.Type][]string
}

func newArbitrary(data []byte) *arbitrary {
	a := &arbitrary{data: data, sets: map[reflect.Type][]string{}}
	for _, s := range closedSets() {
		a.sets[s.of] = s.names
	}
	return a
}

func (a *arbitrary) next() int {
	if len(a.data) == 0 {
		return 0
	}
	b := a.data[0]
	a.data = a.data[1:]
	return int(b)
}

func (a *arbitrary) fill(v reflect.Value, depth int) {
	if set, ok := a.sets[v.Type()]; ok {
		v.SetString(set[a.next()%len(set)])
		return
	}
	switch v.Kind() {
	case reflect.String:
		words := []string{"", "a", "b/c", "é\u0000", "*", "x y", "\u2028"}
		v.SetString(words[a.next()%len(words)])
	case reflect.Bool:
		v.SetBool(a.next()%2 == 1)
	case reflect.Int, reflect.Int64:
		v.SetInt([]int64{0, 1, -1, math.MaxInt64, math.MinInt64}[a.next()%5])
	case reflect.Float64:
		v.SetFloat([]float64{0, 1.5, math.Inf(-1), math.NaN(), math.MaxFloat64}[a.next()%5])
	case reflect.Uint8:
		v.SetUint(uint64(a.next()))
	case reflect.Pointer:
		if a.next()%2 == 1 {
			v.Set(reflect.New(v.Type().Elem()))
			a.fill(v.Elem(), depth)
		}
	case reflect.Slice:
		if n := a.next() % 4; n > 0 { // 3 makes an empty one that is not nil
			v.Set(reflect.MakeSlice(v.Type(), n%3, n%3))
			for i := range v.Len() {
				a.fill(v.Index(i), depth+1)
			}
		}
	case reflect.Map:
		n := a.next() % 3
		v.Set(reflect.MakeMap(v.Type()))
		for i := range n {
			k, e := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			k.SetString("k" + strconv.Itoa(i))
			if a.sets[k.Type()] != nil {
				a.fill(k, depth+1)
			}
			a.fill(e, depth+1)
			v.SetMapIndex(k, e)
		}
	case reflect.Struct:
		optional := v.Type() == reflect.TypeFor[preparer.Edit]() || v.Type() == reflect.TypeFor[preparer.EnvOp]()
		for i := range v.NumField() {
			if optional && v.Field(i).Kind() == reflect.Interface && a.next()%2 == 1 {
				continue
			}
			a.fill(v.Field(i), depth+1)
		}
	case reflect.Interface:
		kinds := valueTypes()
		if v.Type() == reflect.TypeFor[preparer.Entry]() {
			kinds = entryTypes()
		} else if depth > 20 {
			kinds = kinds[:4]
		}
		e := reflect.New(kinds[a.next()%len(kinds)]).Elem()
		a.fill(e, depth+1)
		v.Set(e)
	default:
		panic("no arbitrary " + v.Type().String())
	}
}

func valueTypes() []reflect.Type {
	return []reflect.Type{
		reflect.TypeFor[preparer.String](), reflect.TypeFor[preparer.Bool](), reflect.TypeFor[preparer.Int](),
		reflect.TypeFor[preparer.Float](), reflect.TypeFor[preparer.Text](), reflect.TypeFor[preparer.PathValue](),
		reflect.TypeFor[preparer.InputPath](), reflect.TypeFor[preparer.Secret](), reflect.TypeFor[preparer.List](),
		reflect.TypeFor[preparer.Object](), reflect.TypeFor[preparer.Concat](), reflect.TypeFor[preparer.Quoted](),
		reflect.TypeFor[preparer.SkillCatalog](),
	}
}

func entryTypes() []reflect.Type {
	return []reflect.Type{
		reflect.TypeFor[preparer.Dir](), reflect.TypeFor[preparer.File](), reflect.TypeFor[preparer.TypedDocument](),
		reflect.TypeFor[preparer.Merge](), reflect.TypeFor[preparer.Block](), reflect.TypeFor[preparer.Link](),
		reflect.TypeFor[preparer.Copy](), reflect.TypeFor[preparer.Expose](), reflect.TypeFor[preparer.Share](),
		reflect.TypeFor[preparer.Login](), reflect.TypeFor[preparer.PlaceSkills](), reflect.TypeFor[preparer.Check](),
	}
}

// closedSet is a set with the name of its enum.
type closedSet struct {
	of    reflect.Type
	enum  string
	names []string
}

func setOf[T ~string](enum string, set []T) closedSet {
	s := closedSet{of: reflect.TypeFor[T](), enum: enum}
	for _, v := range set {
		s.names = append(s.names, string(v))
	}
	return s
}

func closedSets() []closedSet {
	return []closedSet{
		setOf("Transport", transports()), setOf("Channel", channels()), setOf("SkillKind", skillKinds()),
		setOf("NameForm", nameForms()), setOf("Rewrite", rewrites()), setOf("ModelProtocol", modelProtocols()),
		setOf("Addressing", addressings()), setOf("EndpointAdapter", endpointAdapters()),
		setOf("GateAnswer", gateAnswers()), setOf("Trust", trusts()), setOf("EndpointAuth", auths()), setOf("Kind", kinds()), setOf("Mode", modes()), setOf("How", hows()),
		setOf("InputKind", inputKinds()), setOf("Learn", learns()), setOf("LocationBase", locationBases()),
		setOf("Format", formats()), setOf("Root", roots()), setOf("CheckKind", checkKinds()),
		setOf("BaseKind", baseKinds()), setOf("EditOp", editOps()), setOf("ListKind", listKinds()),
		setOf("EnvKind", envKinds()), setOf("ActionKind", actionKinds()), setOf("Severity", severities()),
	}
}
