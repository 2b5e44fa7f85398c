// Generates C# from a .bfbs: blittable structs with the layout of the mirror. Equal bytes give equal text.
//
//   schema                        C#
//   namespace lobby.room          namespace Lobby.Room
//   item_count:ubyte              public byte ItemCount;
//   visible:bool                  a byte, and the property bool Visible
//   text:[ubyte:24] fixed_string  the array TextUtf8, and the property string Text
//   items:[ubyte:8]               public ItemsArray Items; a struct of 8 bytes with an indexer
//   mesh:uint (string_id)         public Mobula.StringId Mesh;
//   entity:EntityRef              public Mobula.Entity Entity;
//
// A name that C# would refuse, such as that of a member named as its struct, gets an underscore at its end.
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/core/result.hpp>
#include <string>
#include <string_view>

namespace mobula::reflect {

/// Generates the enums and structs declared in NAME.fbs itself; those of engine.fbs are part of Mobula's C# library.
/// `schema_name` is NAME. Errors: "bad schema".
core::Result<std::string> generate_csharp(core::ByteView bfbs, std::string_view schema_name);

}  // namespace mobula::reflect
