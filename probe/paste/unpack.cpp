#include "probe/paste/unpack.h"

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <new>

namespace envdoctor {
namespace {

constexpr std::uint64_t xz_memory = 256 << 20;  // `xz -9` needs 65 MiB

// The amount of output before the error doesn't distinguish the two: it depends on how the input was split.
[[noreturn]] void damaged(const char* kind) {
  throw NoLog(std::string("its ") + kind +
              " data are damaged, or something else follows behind their end; copy or unpack the log again");
}

class Gzip : public Unpacker {
 public:
  Gzip() {
    if (inflateInit2(&stream_, 15 + 16) != Z_OK) throw std::bad_alloc();  // 16: gzip's header and checksum
  }
  ~Gzip() override { inflateEnd(&stream_); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

 protected:
  std::size_t step(std::string_view& packed, char* out, std::size_t size, bool) override {
    if (ended_) inflateReset(&stream_);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));  // NOLINT: read only
    stream_.avail_in = static_cast<uInt>(packed.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = static_cast<uInt>(size);
    const int result = inflate(&stream_, Z_NO_FLUSH);
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) damaged("gzip");
    ended_ = result == Z_STREAM_END;
    packed.remove_prefix(packed.size() - stream_.avail_in);
    return size - stream_.avail_out;
  }

 private:
  z_stream stream_{};
};

class Xz : public Unpacker {
 public:
  Xz() { start(); }
  ~Xz() override { lzma_end(&stream_); }
  Xz(const Xz&) = delete;
  Xz& operator=(const Xz&) = delete;

 protected:
  std::size_t step(std::string_view& packed, char* out, std::size_t size, bool last) override {
    if (ended_) start();
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(packed.data());
    stream_.avail_in = packed.size();
    stream_.next_out = reinterpret_cast<std::uint8_t*>(out);
    stream_.avail_out = size;
    const lzma_ret result = lzma_code(&stream_, last ? LZMA_FINISH : LZMA_RUN);
    if (result == LZMA_MEMLIMIT_ERROR)
      throw NoLog("needs more than 256 MiB of memory to unpack; unpack it with xz first");
    if (result != LZMA_OK && result != LZMA_STREAM_END && result != LZMA_BUF_ERROR) damaged("xz");
    ended_ = result == LZMA_STREAM_END;
    packed.remove_prefix(packed.size() - stream_.avail_in);
    return size - stream_.avail_out;
  }

 private:
  void start() {
    if (lzma_stream_decoder(&stream_, xz_memory, 0) != LZMA_OK) throw std::bad_alloc();
  }

  lzma_stream stream_ = LZMA_STREAM_INIT;
};

class Zstd : public Unpacker {
 public:
  Zstd() {
    if (!stream_) throw std::bad_alloc();
  }

 protected:
  std::size_t step(std::string_view& packed, char* out, std::size_t size, bool) override {
    ZSTD_inBuffer from{packed.data(), packed.size(), 0};
    ZSTD_outBuffer to{out, size, 0};
    const std::size_t result = ZSTD_decompressStream(stream_.get(), &to, &from);
    if (ZSTD_isError(result)) damaged("zstd");
    ended_ = result == 0;
    packed.remove_prefix(from.pos);
    return to.pos;
  }

 private:
  struct Free {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };
  std::unique_ptr<ZSTD_DStream, Free> stream_{ZSTD_createDStream()};
};

}  // namespace

void Unpacker::run(std::string_view packed, bool last, const Take& take) {
  char out[1 << 15];
  for (;;) {
    if (ended_) {  // padding with zeros, as on tapes
      packed.remove_prefix(std::min(packed.find_first_not_of('\0'), packed.size()));
      if (packed.empty()) return;
    }
    const std::size_t got = step(packed, out, sizeof out, last);
    if (got > 0) take({out, got});
    if (packed.empty() && got < sizeof out) return;
  }
}

void Unpacker::feed(std::string_view packed, const Take& take) { run(packed, false, take); }

void Unpacker::finish(const Take& take) {
  run({}, true, take);
  if (!ended_)
    throw NoLog(
        "ends in the middle of its packed data, or something else follows behind their end; copy the log again, or "
        "unpack "
        "what is there");
}

std::unique_ptr<Unpacker> unpacker_of(std::string_view start) {
  if (start.starts_with("\x1f\x8b")) return std::make_unique<Gzip>();
  if (start.starts_with(std::string_view("\xfd"
                                         "7zXZ\0",
                                         6)))
    return std::make_unique<Xz>();
  if (start.starts_with("\x28\xb5\x2f\xfd")) return std::make_unique<Zstd>();
  return nullptr;
}

}  // namespace envdoctor
