#pragma once
#include <string_view>

namespace envdoctor {

// What the end of the text before a word says of it. Compared by hand: patterns of these words take longer to compile
// than most texts take to read.

// Behind what a graph's nodes are named: "Node: '", "{{node ".
bool names_node(std::string_view before);
// The number or the name of a product: "board number: ".
bool names_a_product(std::string_view before);
// A part of a program: "module named ", "-march=".
bool names_a_part(std::string_view before);
// What the kernel or the firmware alone says, and names of products in it: behind "DMI: " up to its BIOS, behind the
// number of an SXid.
bool stands_in_words_of_kernel(std::string_view before);
// What a personal name of any form stands behind: "owner: ", "user \"", "dataset ".
bool is_labelled(std::string_view before);
// A label that is joined to any one word: "owner=".
bool is_joined_to_label(std::string_view before);

}  // namespace envdoctor
