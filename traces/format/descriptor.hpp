#pragma once

#include <unistd.h>
#include <utility>

namespace keyswap {

/// Owns a file descriptor, if not negative.
class Descriptor {
  public:
    Descriptor() = default;
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~Descriptor() {
        if (number_ >= 0) {
            ::close(number_);
        }
    }
    [[nodiscard]] int number() const { return number_; }
    [[nodiscard]] bool is_open() const { return number_ >= 0; }
    /// \return 0 if closing reported no delayed write error
    [[nodiscard]] int close() { return ::close(std::exchange(number_, -1)); }

  private:
    int number_ = -1;
};

} // namespace keyswap
