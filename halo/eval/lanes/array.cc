// Storage of arrays: one zeroed block each, counted by its meter, shared by copies.
#include "halo/eval/lanes/array.h"

#include <cstring>
#include <new>

#include "halo/base/check.h"
#include "halo/base/containers/aligned_block.h"

namespace halo {

struct Array::Storage {
  Storage(size_t bytes, std::shared_ptr<MemoryMeter> counted_by)
      : size(bytes),
        memory(static_cast<int64_t>(bytes)),
        data(memory.data()),
        meter(std::move(counted_by)) {
    // Callers ask first whether there is memory (OpContext::CheckBudget), so this is rare. A
    // program that handles failures of `new` handles this one in the same way.
    const std::new_handler handler = std::get_new_handler();
    if (data == nullptr && handler != nullptr) handler();
    HALO_CHECK(data != nullptr);
    if (meter == nullptr) return;
    const int64_t now =
        meter->live.fetch_add(static_cast<int64_t>(size)) + static_cast<int64_t>(size);
    int64_t peak = meter->peak.load();
    while (now > peak && !meter->peak.compare_exchange_weak(peak, now)) {
    }
  }
  Storage(const uint8_t* elements, std::shared_ptr<const void> their_owner)
      : data(const_cast<uint8_t*>(elements)),  // NOLINT: only read, see MutableBytes
        owner(std::move(their_owner)) {}
  ~Storage() {
    if (meter != nullptr) meter->live.fetch_sub(static_cast<int64_t>(size));
  }
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  size_t size = 0;
  AlignedBlock memory;  // none if the elements are borrowed
  uint8_t* data;
  std::shared_ptr<MemoryMeter> meter;
  std::shared_ptr<const void> owner;  // keeps borrowed elements alive
};

Array::Array(ElementType type, std::span<const int64_t> dims,
             const std::shared_ptr<MemoryMeter>& meter)
    : type_(type), dims_(dims.begin(), dims.end()), count_(ElementsIn(dims)) {
  storage_ = std::make_shared<Storage>(byte_count(), meter);
}

Array Array::Borrowed(ElementType type, std::span<const int64_t> dims, const uint8_t* elements,
                      std::shared_ptr<const void> owner) {
  Array array;
  array.type_ = type;
  array.dims_.assign(dims.begin(), dims.end());
  array.count_ = ElementsIn(dims);
  array.storage_ = std::make_shared<Storage>(elements, std::move(owner));
  return array;
}

bool Array::is_unique() const {
  return storage_ != nullptr && storage_.use_count() == 1 && storage_->owner == nullptr;
}

const uint8_t* Array::bytes() const { return storage_ == nullptr ? nullptr : storage_->data; }

uint8_t* Array::MutableBytes() {
  if (storage_ == nullptr) return nullptr;
  if (!is_unique()) {
    auto own = std::make_shared<Storage>(byte_count(), storage_->meter);
    std::memcpy(own->data, storage_->data, byte_count());
    storage_ = std::move(own);
  }
  return storage_->data;
}

Array Array::Reshaped(std::span<const int64_t> dims) const {
  HALO_CHECK(ElementsIn(dims) == count_);
  Array reshaped = *this;
  reshaped.dims_.assign(dims.begin(), dims.end());
  return reshaped;
}

Array Array::Retyped(ElementType type) const {
  HALO_CHECK(StoredBytes(type) == element_bytes());
  Array retyped = *this;
  retyped.type_ = type;
  return retyped;
}

}  // namespace halo
