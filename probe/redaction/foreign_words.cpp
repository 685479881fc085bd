#include "probe/redaction/foreign_words.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "knowledge/wordings/known_words.h"

namespace envdoctor {
namespace foreign_words {
namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t size = 1;
};

Character character(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  const auto tail = [&](std::size_t i) { return i < text.size() ? byte(i) & 0x3FU : 0U; };
  const std::uint32_t first = byte(at);
  const std::size_t size = first < 0xC2U ? 1 : first < 0xE0U ? 2 : first < 0xF0U ? 3 : first < 0xF5U ? 4 : 1;
  if (size == 1 || at + size > text.size()) return {first, 1};
  if (size == 2) return {(first & 0x1FU) << 6U | tail(at + 1), 2};
  if (size == 3) return {(first & 0xFU) << 12U | tail(at + 1) << 6U | tail(at + 2), 3};
  return {(first & 7U) << 18U | tail(at + 1) << 12U | tail(at + 2) << 6U | tail(at + 3), 4};
}

bool is_between(std::uint32_t code, std::uint32_t first, std::uint32_t last) { return code >= first && code <= last; }

// Of scripts that join the characters of a sentence without blanks.
bool is_ideograph(std::uint32_t code) {
  return is_between(code, 0x3041, 0x30FF) || is_between(code, 0x3400, 0x9FFF) || is_between(code, 0x0E01, 0x0E5B) ||
         is_between(code, 0xF900, 0xFAFF) || is_between(code, 0x20000, 0x323AF) || code == 0x3005;
}

// A letter of an alphabet, or a mark above one. Tokenizers print U+0120 and U+010A for a blank and a line's end.
bool is_foreign_letter(std::uint32_t code) {
  if (code == 0xD7 || code == 0xF7 || code == 0x120 || code == 0x10A || code == 0xB5) return false;
  return is_between(code, 0xC0, 0x0E00) || is_between(code, 0x0E80, 0x1FFF) || is_between(code, 0xAC00, 0xD7A3) ||
         is_between(code, 0x1100, 0x11FF) || is_between(code, 0x2C00, 0x2DFF) || is_between(code, 0xA640, 0xABFF) ||
         is_between(code, 0xFB1D, 0xFDFF) || is_between(code, 0xFE70, 0xFEFC);
}

bool is_ascii_word(std::uint32_t code) {
  return is_between(code, '0', '9') || is_between(code, 'a', 'z') || is_between(code, 'A', 'Z') || code == '_';
}

void append(std::string& out, std::uint32_t code) {
  const auto put = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0U | code >> 6U), put(0x80U | (code & 0x3FU));
  } else {
    put(0xE0U | code >> 12U), put(0x80U | (code >> 6U & 0x3FU)), put(0x80U | (code & 0x3FU));
  }
}

std::uint32_t small_letter(std::uint32_t code) {
  if (is_between(code, 'A', 'Z') || is_between(code, 0xC0, 0xDE) || is_between(code, 0x391, 0x3A9) ||
      is_between(code, 0x410, 0x42F))
    return code + 0x20;
  if (is_between(code, 0x400, 0x40F)) return code + 0x50;
  if (is_between(code, 0x100, 0x137) || is_between(code, 0x14A, 0x177) || is_between(code, 0x1E00, 0x1EFF))
    return code | 1U;
  if (is_between(code, 0x139, 0x148) || is_between(code, 0x179, 0x17E)) return code + (code & 1U);
  return code;
}

// A word between blanks: known, a single letter as in a formula, or what a known one has as its beginning in a language
// that adds endings (Hangul).
bool is_known(std::string_view word) {
  constexpr std::string_view job_of_flux = "\u0192";  // begins the number of a job
  if (word.starts_with(job_of_flux) && std::ranges::all_of(word.substr(job_of_flux.size()), [](char c) {
        return is_ascii_word(static_cast<unsigned char>(c));
      }))
    return true;
  std::string small;
  std::size_t letters = 0;
  bool greek = true, hangul = false;
  for (std::size_t i = 0; i < word.size();) {
    const Character c = character(word, i);
    i += c.size;
    append(small, small_letter(c.code));
    if (!is_foreign_letter(c.code)) continue;
    ++letters;
    greek = greek && is_between(c.code, 0x370, 0x3FF);
    hangul = hangul || is_between(c.code, 0xAC00, 0xD7A3);
  }
  if ((greek && letters == 1) || knowledge::is_known_word(small)) return true;
  const std::size_t apostrophe = small.find('\'');
  if (apostrophe != small.npos && apostrophe < 3 && knowledge::is_known_word(small.substr(apostrophe + 1))) return true;
  constexpr std::size_t syllable = 3, least = 2 * syllable;
  for (std::size_t size = small.size(); hangul && size > least + syllable - 1; size -= syllable) {
    if (size - syllable >= least && knowledge::is_known_word(std::string_view(small).substr(0, size - syllable)))
      return true;
  }
  return false;
}

// A run of ideographs: known words stay, what is between them goes.
std::string known_ideographs(std::string_view run) {
  std::vector<std::size_t> ends{0};
  for (std::size_t i = 0; i < run.size();) ends.push_back(i += character(run, i).size);
  std::string out;
  bool withheld = false;
  constexpr std::size_t longest = 8;
  for (std::size_t i = 0; i + 1 < ends.size();) {
    std::size_t found = 0;
    for (std::size_t n = std::min(longest, ends.size() - 1 - i); n > 0 && found == 0; --n) {
      if (knowledge::is_known_word(run.substr(ends[i], ends[i + n] - ends[i]))) found = n;
    }
    if (found > 0) {
      out.append(run.substr(ends[i], ends[i + found] - ends[i]));
    } else if (!withheld) {
      out += "<name>";
    }
    withheld = found == 0;
    i += std::max<std::size_t>(found, 1);
  }
  return out;
}

}  // namespace
}  // namespace foreign_words

void withhold_foreign_words(std::string& text) {
  using namespace foreign_words;
  if (std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) >= 0xC3U; })) return;
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const Character first = character(text, i);
    std::size_t end = i;
    if (is_ideograph(first.code)) {
      while (end < text.size() && is_ideograph(character(text, end).code)) end += character(text, end).size;
      out += known_ideographs(std::string_view(text).substr(i, end - i));
      i = end;
      continue;
    }
    bool foreign = false;
    std::size_t word_end = i;
    while (end < text.size()) {
      const Character c = character(text, end);
      const bool letter = is_foreign_letter(c.code);
      const bool joins = end > i && std::string_view("-.'!#$%&*+@").find(text[end]) != std::string_view::npos;
      if (!letter && !is_ascii_word(c.code) && !joins) break;
      foreign = foreign || letter;
      end += c.size;
      if (!joins) word_end = end;
    }
    if (end == i) {
      out.append(text, i, first.size);
      i += first.size;
      continue;
    }
    if (foreign && !is_known(std::string_view(text).substr(i, word_end - i))) {
      // A mark at a word's end may be part of a password, a full stop is one of the sentence's.
      const bool marked = word_end < end && std::string_view("!#$%&*+").find(text[word_end]) != std::string_view::npos;
      out += "<name>";
      i = marked ? end : word_end;
      continue;
    }
    out.append(text, i, end - i);
    i = end;
  }
  text = out;
}

}  // namespace envdoctor
