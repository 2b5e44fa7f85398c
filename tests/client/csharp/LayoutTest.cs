using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Runtime.InteropServices;
using Awkward.NamesOf;
using Demo;
using Kitchen;
using Mobula;
using Mobula.Engine;

/// <summary>Generated structs, without the native library.</summary>
static class LayoutTest {
  [Test]
  public static void EveryMemberLiesWhereTheSchemaDeclaresIt() {
    int structs = 0;
    List<Assembly> assemblies = new List<Assembly> { typeof(Transform).Assembly, typeof(Health).Assembly };
    string more = Environment.GetEnvironmentVariable("TEST_STRUCTS");  // structs of random schemas
    if (more != null) assemblies.Add(Assembly.LoadFrom(more));
    foreach (Type type in assemblies.SelectMany(each => each.GetTypes())) {
      ComponentAttribute schema = type.GetCustomAttribute<ComponentAttribute>();
      if (schema == null || !type.IsPublic) continue;
      ++structs;
      Check.Equal(schema.Size, SizeOf(type), type + " in bytes");
      Check.Equal(string.Join(" ", DeclaredOffsets(schema.Layout)), string.Join(" ", MemberOffsets(type)),
                  type.ToString());
    }
    Check.True(structs >= (more == null ? 20 : 90), structs + " structs are too few");
  }

  [Test]
  public static void DefaultsAreThoseOfTheSchema() {
    Plain plain = Plain.Default;
    Check.Equal(sbyte.MinValue, plain.AnInt8);
    Check.Equal(byte.MaxValue, plain.AUint8);
    Check.Equal(long.MinValue, plain.AnInt64);
    Check.Equal(ulong.MaxValue, plain.AUint64);
    Check.Equal(1e-7f, plain.AFloat);
    Check.Equal(-0.1, plain.ADouble);
    Check.Equal(1f, plain.AQuaternion.Y);
    Check.Equal("two words", plain.AText);
    Check.Equal(new StringId("crate"), plain.AName);
    Check.Equal(Wide.Huge, Ranged.Default.Wide);
    Check.Equal(1f, Transform.Default.Rotation.W);
    Check.True(RenderData.Default.Visible, "RenderData is visible");
    Check.Equal((ushort)7, Nested.Default.Several[2].Weight);
    Check.True(Nested.Default.One.Flag, "the flag in a struct");
  }

  [Test]
  public static void ArraysKeepTheirElementsAndRefuseOthers() {
    Plain plain = default(Plain);
    for (int i = 0; i < plain.Shorts.Length; ++i) plain.Shorts[i] = (short)(i - 1);
    plain.Entities[1] = new Entity(7, 9);
    Check.Equal(3, plain.Shorts.Length);
    Check.Equal((short)-1, plain.Shorts[0]);
    Check.Equal((short)1, plain.Shorts[2]);
    Check.Equal(Entity.None, plain.Entities[0]);
    Check.Equal(new Entity(7, 9), plain.Entities[1]);
    Check.Equal("", plain.AText, "the text beside the arrays");
    SmallCase_ flags = default(SmallCase_);
    flags.Flags[1] = true;
    Check.True(!flags.Flags[0] && flags.Flags[1] && !flags.Flags[2], "one flag is set");
    foreach (int at in new[] { -1, 3 }) {
      bool refused = false;
      try {
        plain.Shorts[at] = 1;
      } catch (IndexOutOfRangeException) {
        refused = true;
      }
      Check.True(refused, "element " + at + " is refused");
    }
  }

  [Test]
  public static void TextsAreCutAtACharacter() {
    Plain plain = default(Plain);
    plain.AText = "12345678é";
    Check.Equal("12345678é", plain.AText, "ten bytes");
    plain.AText = "123456789é";
    Check.Equal("123456789", plain.AText, "no half of a character");
    plain.AText = "1234567\U0001F600";
    Check.Equal("1234567", plain.AText, "no three bytes of four");
    plain.AText = null;
    Check.Equal("", plain.AText);
    Check.Equal((byte)0, plain.ATextUtf8[9]);
    Check.Equal((byte)0, plain.AUint8, "the member before");
    Check.Equal(0u, plain.AName.Hash, "the member behind");
  }

  [Test]
  public static void EqualityIsThatOfAllBytes() {
    Nested one = Nested.Default, other = Nested.Default;
    Check.True(one.Equals(other) && one.GetHashCode() == other.GetHashCode(), "equal values");
    other.Colors[3] = Small.Plus;
    Check.True(!one.Equals(other), "the last element of an array counts");
    Check.True(!one.Equals(null) && !one.Equals((object)1), "others are not equal");
  }

  [Test]
  public static void NamesHaveTheHashOfTheServer() {
    Check.Equal(0x811c9dc5u, new StringId("").Hash);
    Check.Equal(0xe40c292cu, new StringId("a").Hash);
    Check.Equal(0xbf9cf968u, new StringId("foobar").Hash);
  }

  [Test]
  public static void EntitiesAreTheHandlesOfTheCInterface() {
    Check.Equal(new Entity(5, 3), new Entity(3ul << 32 | 5));
    Check.Equal("5.3", new Entity(5, 3).ToString());
    Check.True(default(Entity).IsNone && Entity.None == default(Entity), "no entity");
    Check.True(new Entity(5, 3) != new Entity(5, 4), "another generation");
    Check.Equal(8, Marshal.SizeOf(typeof(Entity)));
  }

  [Test]
  public static void OnlyTypesOfTheStandardAreReferenced() {
    Assembly standard = Assembly.Load("netstandard");
    Check.True(standard.GetType("System.Span`1") != null, "netstandard here is 2.1");
    Check.True(standard.GetType("System.Runtime.Remoting.ObjRef") == null, "and not all of mono");
    Module library = typeof(MobulaClient).Module;
    int types = 0;
    for (int token = 0x01000001;; ++token, ++types) {  // the table of referenced types
      Type referenced;
      try {
        referenced = library.ResolveType(token);
      } catch (ArgumentOutOfRangeException) {
        break;
      }
      Check.True(standard.GetType(referenced.FullName) != null, referenced + " is a type of netstandard2.1");
    }
    Check.True(types > 20, types + " referenced types are more than 20");
  }

  // Offsets of the members that are no padding, in the struct as the runtime has it.
  static IEnumerable<int> MemberOffsets(Type type) {
    BindingFlags members = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic;
    foreach (FieldInfo field in type.GetFields(members).OrderBy(each => each.MetadataToken)) {
      if (field.Name.StartsWith("padding")) continue;
      object value = Activator.CreateInstance(type);
      field.SetValue(value, Call("Ones", field.FieldType, null));
      byte[] bytes = (byte[])Call("BytesOf", type, value);
      yield return Array.IndexOf(bytes, (byte)0xff);
    }
  }

  // First offsets of members in a layout: "position.x:float32@0 position.y:float32@4" has one, 0.
  static IEnumerable<int> DeclaredOffsets(string layout) {
    HashSet<string> seen = new HashSet<string>();
    foreach (string leaf in layout.Split(' ')) {
      string path = leaf.Substring(0, leaf.IndexOf(':'));
      if (seen.Add(path.Split('.')[0])) yield return int.Parse(leaf.Substring(leaf.IndexOf('@') + 1).Split('x')[0]);
    }
  }

  static int SizeOf(Type type) { return ((byte[])Call("BytesOf", type, Activator.CreateInstance(type))).Length; }

  static object Call(string name, Type type, object value) {
    MethodInfo method = typeof(LayoutTest).GetMethod(name, BindingFlags.Static | BindingFlags.NonPublic);
    return method.MakeGenericMethod(type).Invoke(null, value == null ? null : new[] { value });
  }

  static object Ones<T>() where T : struct {
    T value = default(T);
    MemoryMarshal.AsBytes(MemoryMarshal.CreateSpan(ref value, 1)).Fill(0xff);
    return value;
  }

  static byte[] BytesOf<T>(object boxed) where T : struct {
    T value = (T)boxed;
    return MemoryMarshal.AsBytes(MemoryMarshal.CreateSpan(ref value, 1)).ToArray();
  }
}
