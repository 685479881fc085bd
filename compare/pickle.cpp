#include "compare/pickle.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "compare/array_file.h"

namespace envdoctor::compare {
namespace {

constexpr std::size_t most_values = 1 << 20;
using Value = PickleValue;

// The operations are described in Python's pickletools.py.
class PickleMachine {
 public:
  PickleMachine(std::string_view bytes, const std::vector<std::string>& allowed, const std::string& name)
      : bytes_(bytes), allowed_(allowed), name_(name) {}

  Pickle run() {
    for (;;) {
      at_ = next_;
      const auto operation = static_cast<unsigned char>(take(1)[0]);
      if (operation == '.') break;
      if (!push_plain(operation) && !push_container(operation) && !change(operation) && !remember(operation))
        fail(fmt::format("operation 0x{:02x}, which torch.save does not write of tensors, is not read", operation));
    }
    if (stack_.size() != 1 || !marks_.empty()) fail("ends with more or less than one value");
    pickle_.root = stack_[0];
    return std::move(pickle_);
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw BadArray(fmt::format("{}: at byte {}: {}", name_, at_, why));
  }

  std::string_view take(std::uint64_t size) {
    if (size > bytes_.size() - next_) fail("ends too early");
    const std::string_view taken = bytes_.substr(next_, size);
    next_ += size;
    return taken;
  }
  std::uint64_t number(std::size_t width) {
    const std::string_view raw = take(width);
    std::uint64_t value = 0;
    for (std::size_t i = width; i-- > 0;) value = value << 8 | static_cast<unsigned char>(raw[i]);
    return value;
  }
  // In two's complement, of any width.
  std::int64_t signed_number(std::size_t width) {
    if (width == 0) return 0;
    if (width > 8) fail("a whole number of more than 64 bits");
    const std::size_t unused = 64 - width * 8;
    return static_cast<std::int64_t>(number(width) << unused) >> unused;
  }
  std::string line() {
    const std::size_t end = bytes_.find('\n', next_);
    if (end == bytes_.npos) fail("ends too early");
    const std::string text(take(end - next_));
    take(1);
    return text;
  }

  std::uint32_t add(Value value) {
    if (pickle_.values.size() >= most_values) fail(fmt::format("more than {} values", most_values));
    pickle_.values.push_back(std::move(value));
    return static_cast<std::uint32_t>(pickle_.values.size() - 1);
  }
  void push(Value value) { stack_.push_back(add(std::move(value))); }
  bool push_whole(std::int64_t value) { return push({Value::Kind::whole, value}), true; }
  bool push_text(std::uint64_t size) { return push({Value::Kind::text, 0, std::string(take(size))}), true; }
  bool push_global(const std::string& module, const std::string& name) {
    std::string both = module + " " + name;
    if (std::ranges::find(allowed_, both) == allowed_.end())
      fail(fmt::format("holds {}.{}, which is not read: save tensors alone (a state_dict)", module, name));
    push({Value::Kind::global, 0, std::move(both)});
    return true;
  }

  std::uint32_t pop() {
    if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) fail("takes a value where there is none");
    const std::uint32_t top = stack_.back();
    stack_.pop_back();
    return top;
  }
  std::vector<std::uint32_t> pop(std::size_t count) {
    std::vector<std::uint32_t> items(count);
    for (std::size_t i = count; i-- > 0;) items[i] = pop();
    return items;
  }
  std::vector<std::uint32_t> pop_to_mark() {
    if (marks_.empty()) fail("takes values from a mark where there is none");
    const auto first = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<std::uint32_t> items(first, stack_.end());
    stack_.erase(first, stack_.end());
    marks_.pop_back();
    return items;
  }
  Value& top(Value::Kind kind) {
    if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) fail("changes a value where there is none");
    Value& value = pickle_.values[stack_.back()];
    if (value.kind != kind) fail("adds to a value that holds no others");
    return value;
  }
  std::string pop_text() {
    const Value& value = pickle_.values[pop()];
    if (value.kind != Value::Kind::text) fail("takes something else for a name");
    return value.text;
  }

  bool push_plain(unsigned char operation) {
    switch (operation) {
      case 'N':
        push({});
        return true;
      case 0x88:
      case 0x89:
        push({Value::Kind::truth, operation == 0x88});
        return true;
      case 'J':
        return push_whole(signed_number(4));
      case 'K':
        return push_whole(static_cast<std::int64_t>(number(1)));
      case 'M':
        return push_whole(static_cast<std::int64_t>(number(2)));
      case 0x8a:
        return push_whole(signed_number(number(1)));
      case 'G':
        take(8);
        push({Value::Kind::real});
        return true;
      case 'X':
        return push_text(number(4));
      case 0x8c:
        return push_text(number(1));
      case 'c': {
        const std::string module = line();
        return push_global(module, line());
      }
      case 0x93: {
        const std::string name = pop_text();
        return push_global(pop_text(), name);
      }
      default:
        return false;
    }
  }

  bool push_container(unsigned char operation) {
    switch (operation) {
      case '(':
        marks_.push_back(stack_.size());
        return true;
      case ')':
        push({Value::Kind::tuple});
        return true;
      case ']':
        push({Value::Kind::list});
        return true;
      case '}':
        push({Value::Kind::dict});
        return true;
      case 't':
        push({Value::Kind::tuple, 0, {}, pop_to_mark()});
        return true;
      case 0x85:
      case 0x86:
      case 0x87:
        push({Value::Kind::tuple, 0, {}, pop(operation - 0x84U)});
        return true;
      default:
        return false;
    }
  }

  void extend(Value::Kind kind, const std::vector<std::uint32_t>& items) {
    Value& value = top(kind);
    if (kind == Value::Kind::dict && items.size() % 2 != 0) fail("a key without a value");
    value.items.insert(value.items.end(), items.begin(), items.end());
  }

  // An OrderedDict is a dictionary; other calls are kept as the callable's name and its arguments.
  void call() {
    const std::uint32_t arguments = pop(), called = pop();
    const Value &what = pickle_.values[called], &with = pickle_.values[arguments];
    if (what.kind != Value::Kind::global || with.kind != Value::Kind::tuple) fail("calls something that is no name");
    if (what.text != "collections OrderedDict")
      push({Value::Kind::call, 0, std::string(what.text), std::vector<std::uint32_t>(with.items)});
    else if (!with.items.empty())
      fail("an OrderedDict made of something");
    else
      push({Value::Kind::dict});
  }

  bool change(unsigned char operation) {
    switch (operation) {
      case 'a':
        extend(Value::Kind::list, pop(1));
        return true;
      case 'e':
        extend(Value::Kind::list, pop_to_mark());
        return true;
      case 's':
        extend(Value::Kind::dict, pop(2));
        return true;
      case 'u':
        extend(Value::Kind::dict, pop_to_mark());
        return true;
      case 'R':
        call();
        return true;
      case 'b':  // a state_dict's _metadata, which holds no tensors
        pop();
        top(Value::Kind::dict);
        return true;
      case 'Q':
        push({Value::Kind::persistent, 0, {}, pop(1)});
        return true;
      default:
        return false;
    }
  }

  bool remember(unsigned char operation) {
    switch (operation) {
      case 0x80:
        if (const auto version = number(1); version > 5) fail(fmt::format("protocol {} is not known", version));
        return true;
      case 0x95:
        take(8);
        return true;
      case 'q':
        memo_[number(1)] = peek();
        return true;
      case 'r':
        memo_[number(4)] = peek();
        return true;
      case 0x94:
        memo_[memo_.size()] = peek();
        return true;
      case 'h':
      case 'j': {
        const auto known = memo_.find(number(operation == 'h' ? 1 : 4));
        if (known == memo_.end()) fail("takes a value that was not remembered");
        stack_.push_back(known->second);
        return true;
      }
      default:
        return false;
    }
  }
  std::uint32_t peek() {
    const std::uint32_t value = pop();
    stack_.push_back(value);
    return value;
  }

  std::string_view bytes_;
  const std::vector<std::string>& allowed_;
  const std::string& name_;
  std::size_t next_ = 0, at_ = 0;
  Pickle pickle_{};
  std::vector<std::uint32_t> stack_{};
  std::vector<std::size_t> marks_{};
  std::map<std::uint64_t, std::uint32_t> memo_{};
};

}  // namespace

Pickle read_pickle(std::string_view bytes, const std::vector<std::string>& allowed, const std::string& name) {
  return PickleMachine(bytes, allowed, name).run();
}

}  // namespace envdoctor::compare
