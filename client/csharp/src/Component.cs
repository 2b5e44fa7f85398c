using System;
using System.Threading;

namespace Mobula {

/// <summary>A struct that mobula-schema-gen --csharp has made of a component.</summary>
public interface IComponent {}

/// <summary>Name, size and leaves of a component in the schema that its struct was generated from.</summary>
[AttributeUsage(AttributeTargets.Struct)]
public sealed class ComponentAttribute : Attribute {
  public string Name { get; }
  public int Size { get; }
  /// <summary>Leaves, as SchemaType.Layout describes them.</summary>
  public string Layout { get; }

  public ComponentAttribute(string name, int size, string layout) {
    Name = name;
    Size = size;
    Layout = layout;
  }
}

/// <summary>Numbers that the generic arguments of this process get, from 0.</summary>
internal static class ComponentNumbers {
  private static int next = -1;

  internal static int Take() { return Interlocked.Increment(ref next); }
}

/// <summary>Facts about a component's struct, found once per process.</summary>
internal static class ComponentType<T> where T : struct, IComponent {
  internal static readonly int Number = ComponentNumbers.Take();
  internal static readonly ComponentAttribute Schema =
      (ComponentAttribute)Attribute.GetCustomAttribute(typeof(T), typeof(ComponentAttribute));
}

}
