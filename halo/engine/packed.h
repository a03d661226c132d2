// Packs numbers and texts into one string, to be sent between ranks of the same program.
#ifndef HALO_ENGINE_PACKED_H_
#define HALO_ENGINE_PACKED_H_

#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace halo {

class Packer {
 public:
  template <class T>
    requires std::is_trivially_copyable_v<T>
  void Put(T value) {
    out_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void PutText(std::string_view text) {
    Put(text.size());
    out_ += text;
  }
  std::string Take() { return std::move(out_); }

 private:
  std::string out_;
};

// Reads zeros past the end.
class Unpacker {
 public:
  explicit Unpacker(std::string_view from) : from_(from) {}

  template <class T>
    requires std::is_trivially_copyable_v<T>
  T Get() {
    T value{};
    if (from_.size() >= sizeof value) {
      std::memcpy(&value, from_.data(), sizeof value);
      from_.remove_prefix(sizeof value);
    } else {
      from_ = {};
    }
    return value;
  }
  std::string GetText() {
    const auto size = Get<size_t>();
    std::string text(from_.substr(0, size));
    from_.remove_prefix(text.size());
    return text;
  }
  [[nodiscard]] bool empty() const { return from_.empty(); }

 private:
  std::string_view from_;
};

}  // namespace halo

#endif  // HALO_ENGINE_PACKED_H_
