// Files of torch.save: a zip archive with data.pkl, a pickle that maps tensors to storages, and a member for each
// storage (torch/serialization.py, torch/_utils.py). A checkpoint's numbers and texts besides tensors are ignored.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "compare/array_sources.h"
#include "compare/pickle.h"

namespace envdoctor::compare {
namespace {

constexpr std::uint64_t most_pickle = 16 << 20, most_gathered = 256 << 20;
constexpr std::int64_t most_repeated = 1 << 26;
using Value = PickleValue;

// Types by the names of torch's storages and of its dtypes.
const std::map<std::string, const char*>& torch_types() {
  static const std::map<std::string, const char*> types = {{"torch FloatStorage", "float32"},
                                                           {"torch DoubleStorage", "float64"},
                                                           {"torch HalfStorage", "float16"},
                                                           {"torch BFloat16Storage", "bfloat16"},
                                                           {"torch LongStorage", "int64"},
                                                           {"torch IntStorage", "int32"},
                                                           {"torch ShortStorage", "int16"},
                                                           {"torch CharStorage", "int8"},
                                                           {"torch ByteStorage", "uint8"},
                                                           {"torch BoolStorage", "bool"},
                                                           {"torch ComplexFloatStorage", "complex64"},
                                                           {"torch ComplexDoubleStorage", "complex128"},
                                                           {"torch float32", "float32"},
                                                           {"torch float64", "float64"},
                                                           {"torch float16", "float16"},
                                                           {"torch bfloat16", "bfloat16"},
                                                           {"torch int64", "int64"},
                                                           {"torch int32", "int32"},
                                                           {"torch int16", "int16"},
                                                           {"torch int8", "int8"},
                                                           {"torch uint8", "uint8"},
                                                           {"torch uint16", "uint16"},
                                                           {"torch uint32", "uint32"},
                                                           {"torch uint64", "uint64"},
                                                           {"torch bool", "bool"},
                                                           {"torch complex64", "complex64"},
                                                           {"torch complex128", "complex128"},
                                                           {"torch float8_e4m3fn", "float8_e4m3fn"},
                                                           {"torch float8_e5m2", "float8_e5m2"}};
  return types;
}

std::vector<std::string> allowed_globals() {
  std::vector<std::string> names = {"collections OrderedDict",
                                    "torch Size",
                                    "torch device",
                                    "torch UntypedStorage",
                                    "torch.storage UntypedStorage",
                                    "torch._utils _rebuild_tensor_v2",
                                    "torch._utils _rebuild_tensor_v3",
                                    "torch._utils _rebuild_parameter"};
  for (const auto& [name, type] : torch_types()) names.push_back(name);
  return names;
}

// A tensor's layout in its storage; offset and strides in elements.
struct TorchTensor {
  Header header{};
  std::string member{};
  std::int64_t offset = 0;
  std::vector<std::int64_t> strides{};
  [[nodiscard]] std::int64_t elements() const { return header.count / (header.type.complex ? 2 : 1); }
  [[nodiscard]] std::size_t width() const {
    return static_cast<std::size_t>(header.type.bytes) * (header.type.complex ? 2 : 1);
  }
  [[nodiscard]] bool contiguous() const {
    std::int64_t step = 1;
    for (std::size_t i = strides.size(); i-- > 0; step *= header.shape[i]) {
      if (header.shape[i] > 1 && strides[i] != step) return false;
    }
    return true;
  }
};

// Elements in index order, from a storage in memory.
class GatheredSource : public Source {
 public:
  GatheredSource(TorchTensor tensor, std::shared_ptr<const std::string> storage)
      : tensor_(std::move(tensor)),
        storage_(std::move(storage)),
        index_(tensor_.strides.size()),
        place_(tensor_.offset),
        left_(tensor_.elements()) {}
  // Whole elements only, as all callers request.
  std::size_t read(char* buffer, std::size_t size) override {
    const std::size_t width = tensor_.width();
    std::size_t done = 0;
    for (; done + width <= size && left_ > 0; done += width, --left_) {
      storage_->copy(buffer + done, width, static_cast<std::size_t>(place_) * width);
      advance();
    }
    return done;
  }
  [[nodiscard]] std::optional<std::uint64_t> left() const override {
    return static_cast<std::uint64_t>(left_) * tensor_.width();
  }

 private:
  void advance() {
    for (std::size_t i = index_.size(); i-- > 0;) {
      place_ += tensor_.strides[i];
      if (++index_[i] < tensor_.header.shape[i]) return;
      place_ -= tensor_.strides[i] * tensor_.header.shape[i];
      index_[i] = 0;
    }
  }
  TorchTensor tensor_;
  std::shared_ptr<const std::string> storage_;
  std::vector<std::int64_t> index_;
  std::int64_t place_ = 0, left_ = 0;
};

class TorchFile : public std::enable_shared_from_this<TorchFile> {
 public:
  explicit TorchFile(std::shared_ptr<ZipFile> zip) : zip_(std::move(zip)) {
    for (const std::string& name : zip_->names()) {
      if (!name.ends_with("/data.pkl")) continue;
      if (!folder_.empty())
        throw BadArray(zip_->path() + ": contains two pickles: " + folder_ + "data.pkl and " + name);
      folder_ = name.substr(0, name.size() - 8);
    }
    const std::string shown = zip_->path() + ":data.pkl";
    size_ = static_cast<long double>(FileSource(zip_->path()).left().value_or(0));
    pickle_ =
        read_pickle(read_all(*zip_->open(folder_ + "data.pkl", shown), most_pickle, shown), allowed_globals(), shown);
    if (zip_->contains(folder_ + "byteorder"))
      big_endian_ = read_all(*zip_->open(folder_ + "byteorder", zip_->path()), 16, zip_->path()) == "big";
    walk(pickle_.root, "", 0);
    if (tensors_.empty()) throw BadArray(zip_->path() + ": contains no tensor");
  }

  Arrays arrays() {
    Arrays arrays;
    for (const auto& [name, tensor] : tensors_)
      arrays[name] = [self = shared_from_this(), &name = name, &tensor = tensor] { return self->open(name, tensor); };
    return arrays;
  }

 private:
  [[nodiscard]] std::string shown(const std::string& name) const {
    return name.empty() ? zip_->path() : zip_->path() + ":" + name;
  }

  void walk(std::uint32_t at, const std::string& name, int depth) {
    const Value& value = pickle_[at];
    if (depth > 32 || ++visited_ > 1'000'000 || name.size() > 4096)
      throw BadArray(shown(name.substr(0, 80)) + ": values hold each other too deep or too often");
    const auto inside = [&](const std::string& key) { return name.empty() ? key : name + "." + key; };
    if (value.kind == Value::Kind::call && value.text == "torch._utils _rebuild_parameter" && !value.items.empty()) {
      walk(value.items[0], name, depth + 1);
    } else if (value.kind == Value::Kind::call && value.text.find("_rebuild_tensor") != value.text.npos) {
      const TorchTensor tensor = tensor_of(value, shown(name));
      // Tensors may repeat a storage or share one, but a small file must not cause endless work.
      elements_ += static_cast<long double>(tensor.elements());
      if (elements_ > most_repeated + 16 * size_)
        throw BadArray(shown(name) + ": in data.pkl: tensors that repeat their storages too often");
      if (!tensors_.try_emplace(name, tensor).second)
        throw BadArray(fmt::format("{}: contains two arrays named {}", zip_->path(), name));
      if (tensors_.size() > most_arrays)
        throw BadArray(fmt::format("{}: more than {} arrays", zip_->path(), most_arrays));
    } else if (value.kind == Value::Kind::dict) {
      for (std::size_t i = 0; i + 1 < value.items.size(); i += 2) {
        const Value& key = pickle_[value.items[i]];
        if (key.kind == Value::Kind::text || key.kind == Value::Kind::whole)
          walk(value.items[i + 1], inside(key.kind == Value::Kind::text ? key.text : std::to_string(key.whole)),
               depth + 1);
      }
    } else if (value.kind == Value::Kind::list || value.kind == Value::Kind::tuple) {
      for (std::size_t i = 0; i < value.items.size(); ++i) walk(value.items[i], inside(std::to_string(i)), depth + 1);
    }
  }

  std::vector<std::int64_t> whole_numbers(std::uint32_t at, const std::string& name) const {
    std::vector<std::int64_t> numbers;
    const Value* list = &pickle_[at];
    if (list->kind == Value::Kind::call && list->text == "torch Size" && list->items.size() == 1)
      list = &pickle_[list->items[0]];
    for (const std::uint32_t item : list->items) {
      const Value& number = pickle_[item];
      if (number.kind != Value::Kind::whole || number.whole < 0 || number.whole > std::int64_t{1} << 50)
        throw BadArray(name + ": at shape or strides: not a list of extents");
      numbers.push_back(number.whole);
    }
    return numbers;
  }

  // (storage, offset, shape, strides, requires_grad, hooks, metadata); the third version states the type before the
  // metadata, which say that a tensor must be conjugated or negated when it is read.
  TorchTensor tensor_of(const Value& call, const std::string& name) const {
    const bool third = call.text.ends_with("v3");
    const auto bad = [&](const char* why) { throw BadArray(fmt::format("{}: in data.pkl: {}", name, why)); };
    if (call.items.size() < (third ? 7 : 4)) bad("a tensor with too few arguments");
    const Value& storage = pickle_[call.items[0]];
    const std::size_t metadata = third ? 7 : 6;
    if (call.items.size() > metadata && !pickle_[call.items[metadata]].items.empty())
      bad("a tensor that is kept conjugated or negated: save it with .resolve_conj().resolve_neg()");
    if (storage.kind != Value::Kind::persistent) bad("a tensor without a storage");
    const Value& place = pickle_[storage.items[0]];  // ("storage", type, key, device, number of elements)
    if (place.kind != Value::Kind::tuple || place.items.size() < 5) bad("a storage that is stated otherwise");
    const Value &word = pickle_[place.items[0]], &key = pickle_[place.items[2]], &size = pickle_[place.items[4]];
    const auto type = torch_types().find(pickle_[third ? call.items[6] : place.items[1]].text);
    if (word.text != "storage" || key.kind != Value::Kind::text || size.kind != Value::Kind::whole || size.whole < 0)
      bad("a storage that is stated otherwise");
    if (type == torch_types().end()) bad("a tensor whose type cannot be compared");
    TorchTensor tensor{.header = header_of(*type_named(type->second), whole_numbers(call.items[2], name), name),
                       .member = folder_ + "data/" + key.text,
                       .offset = pickle_[call.items[1]].whole,
                       .strides = whole_numbers(call.items[3], name)};
    tensor.header.type.big_endian = big_endian_;
    if (!zip_->contains(tensor.member)) bad("a storage that the archive does not contain");
    if (tensor.strides.size() != tensor.header.shape.size()) bad("a shape and strides of different length");
    const std::int64_t there = third ? size.whole / static_cast<std::int64_t>(tensor.width()) : size.whole;
    long double last = tensor.offset;
    for (std::size_t i = 0; i < tensor.strides.size(); ++i)
      last += static_cast<long double>(tensor.header.shape[i] - 1) * tensor.strides[i];
    if (tensor.offset < 0 || (tensor.header.count > 0 && last >= there))
      bad("a tensor that reaches out of its storage");
    return tensor;
  }

  ArrayReader open(const std::string& name, const TorchTensor& tensor) {
    auto source = zip_->open(tensor.member, shown(name));
    const std::uint64_t size = source->left().value_or(0);
    const bool whole = tensor.offset == 0 && size == static_cast<std::uint64_t>(tensor.elements()) * tensor.width();
    if (tensor.contiguous() && whole) return {shown(name), tensor.header, std::move(source)};
    if (cached_ != tensor.member) {
      if (size > most_gathered)
        throw BadArray(fmt::format("{}: is a part of a storage of {} bytes: save it with .clone()", shown(name), size));
      storage_ = std::make_shared<const std::string>(read_all(*source, most_gathered, shown(name)));
      cached_ = tensor.member;
    }
    long double last = tensor.offset;
    for (std::size_t i = 0; i < tensor.strides.size(); ++i)
      last += static_cast<long double>(tensor.header.shape[i] - 1) * tensor.strides[i];
    if (tensor.header.count > 0 && (last + 1) * tensor.width() > storage_->size())
      throw BadArray(fmt::format("{}: its storage was cut: {} bytes are there", shown(name), storage_->size()));
    return {shown(name), tensor.header, std::make_unique<GatheredSource>(tensor, storage_)};
  }

  std::shared_ptr<ZipFile> zip_;
  std::string folder_{};
  Pickle pickle_{};
  bool big_endian_ = false;
  std::map<std::string, TorchTensor> tensors_{};
  std::size_t visited_ = 0;
  long double elements_ = 0, size_ = 0;  // of all tensors; of the file in bytes
  std::string cached_{};                 // the last storage that was read
  std::shared_ptr<const std::string> storage_{};
};

}  // namespace

Arrays torch_arrays(const std::shared_ptr<ZipFile>& zip) { return std::make_shared<TorchFile>(zip)->arrays(); }

}  // namespace envdoctor::compare
