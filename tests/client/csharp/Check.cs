using System;
using System.Collections.Generic;
using System.Reflection;
using Mobula;

/// <summary>Marks a method as a test.</summary>
[AttributeUsage(AttributeTargets.Method)]
sealed class TestAttribute : Attribute {}

sealed class CheckFailed : Exception {
  public CheckFailed(string text) : base(text) {}
}

static class Check {
  public static void Equal<T>(T expected, T value, string what = "") {
    if (!EqualityComparer<T>.Default.Equals(expected, value)) {
      throw new CheckFailed(what + ": expected " + expected + ", but it is " + value);
    }
  }

  public static void True(bool condition, string what) {
    if (!condition) throw new CheckFailed("not true: " + what);
  }

  public static void Throws(Result code, string text, Action action) {
    try {
      action();
    } catch (MobulaException error) {
      Equal(code, error.Code, error.Message);
      True(error.Message.Contains(text), "\"" + error.Message + "\" contains \"" + text + "\"");
      return;
    }
    throw new CheckFailed("no MobulaException, but " + code + " was expected");
  }
}

/// <summary>Runs the tests of the classes that are named: tests.exe CLASS…</summary>
static class Program {
  static int Main(string[] arguments) {
    int run = 0, failed = 0;
    foreach (string name in arguments) {
      Type suite = Type.GetType(name);
      if (suite == null) throw new ArgumentException("there is no suite " + name);
      foreach (MethodInfo test in suite.GetMethods()) {
        if (test.GetCustomAttribute<TestAttribute>() == null) continue;
        ++run;
        Console.WriteLine("[ RUN ] " + name + "." + test.Name);
        try {
          test.Invoke(null, null);
        } catch (TargetInvocationException error) {
          ++failed;
          Console.WriteLine("[ FAILED ] " + name + "." + test.Name + ": " + error.InnerException);
        }
      }
    }
    Console.WriteLine(run + " tests, " + failed + " failed");
    return run > 0 && failed == 0 ? 0 : 1;
  }
}
