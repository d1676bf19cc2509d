#pragma once

#include "traces/errors/try.hpp"

#include <new>
#include <sys/mman.h>
#include <type_traits>
#include <utility>

namespace keyswap::conformance {

/// A value in memory shared with forked processes. What a process writes to it remains readable
/// after that process has died.
template <class Value>
requires std::is_trivially_copyable_v<Value>
class SharedValue {
  public:
    [[nodiscard]] static Expected<SharedValue> make() {
        void* const memory = ::mmap(
            nullptr, sizeof(Value), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) {
            return input_error(
                "memory", "cannot map a page to share with a process", "end other programs");
        }
        SharedValue shared;
        shared.value_ = new (memory) Value();
        return shared;
    }
    SharedValue(SharedValue&& other) noexcept : value_(std::exchange(other.value_, nullptr)) {}
    SharedValue& operator=(SharedValue&&) = delete;
    ~SharedValue() {
        if (value_ != nullptr) {
            ::munmap(value_, sizeof(Value));
        }
    }

    Value& operator*() const { return *value_; }
    Value* operator->() const { return value_; }

  private:
    SharedValue() = default;
    Value* value_ = nullptr;
};

} // namespace keyswap::conformance
