#pragma once

/// \file The boundary between C and C++: handles, and the only place that catches exceptions.

#include "tools/c/keyswap.h"
#include "traces/errors/try.hpp"

#include <nlohmann/json.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <type_traits>

struct keyswap_error {
    keyswap_error_kind_t kind = KEYSWAP_COULD_NOT_RUN;
    std::string subject;
    std::string problem;
    std::string remedy;
    std::string message;
};

struct keyswap_result {
    keyswap_verdict_t verdict = KEYSWAP_FINE;
    std::string text;
    std::string json;
};

namespace keyswap::c {

/// Calls `work` and converts its error, or an exception that it throws, to a keyswap_error. \return
/// null on success
[[nodiscard]] keyswap_error* guarded(std::function<Expected<void>()> const& work) noexcept;

/// The error of work that the caller's callback cancelled.
[[nodiscard]] InputError cancelled();

/// \return an error if the required pointer argument `name` is null
[[nodiscard]] Expected<void> needs(void const* pointer, char const* name);

/// Allocates a result and passes its ownership to the caller.
void give(keyswap_result** result, bool fine, std::string text, nlohmann::ordered_json const& json);

/// Copies the caller's options; fields that its older struct lacks get their defaults.
/// \return an error if a newer struct sets a field that this library does not know
template <class Options>
[[nodiscard]] Expected<Options> options_of(Options const* given) {
    static_assert(std::is_trivially_copyable_v<Options>);
    Options options{};
    if (given == nullptr) {
        return options;
    }
    constexpr std::size_t size_max = 4096; // of any future version; more is uninitialised memory
    std::size_t const size = given->struct_size;
    bool known = size >= sizeof(std::size_t) && size <= size_max;
    auto const* const bytes = reinterpret_cast<unsigned char const*>(given);
    for (std::size_t i = sizeof(Options); known && i < size; ++i) {
        known = bytes[i] == 0;
    }
    if (!known) {
        return input_error("options",
                           "struct_size is " + std::to_string(size) + ", and this library knows " +
                               std::to_string(sizeof(Options)) + " bytes",
                           "begin them with {sizeof options}, or load a newer "
                           "libkeyswap.so");
    }
    std::memcpy(&options, given, size < sizeof(Options) ? size : sizeof(Options));
    return options;
}

/// The name of an enumerator, from a list that starts at 0.
/// \return an error naming the argument for any other value
template <class Enum, std::size_t n>
[[nodiscard]] Expected<std::string>
name_of(Enum value, char const* const (&names)[n], char const* argument) { // NOLINT(*-c-arrays)
    auto const index = static_cast<std::size_t>(value);
    if (index < n) {
        return names[index];
    }
    return input_error(argument,
                       "is " + std::to_string(static_cast<int>(value)) +
                           ", which is not a value of the enumeration",
                       "give one of its names, or 0");
}

/// The name used by `keyswap check`. \return an error for an invalid enumerator
[[nodiscard]] inline Expected<std::string> zero_order_name(keyswap_zero_order order) {
    return name_of(order, {"total", "equal"}, "zero_order");
}
[[nodiscard]] inline Expected<std::string> nan_order_name(keyswap_nan_order order) {
    return name_of(order, {"total", "first", "last"}, "nan_order");
}
[[nodiscard]] inline Expected<std::string> direction_name(keyswap_direction direction) {
    return name_of(direction, {"ascending", "descending"}, "direction");
}

/// Calls the caller's progress function about 20 times per second, on the constructing thread.
class ProgressCall {
  public:
    ProgressCall(keyswap_progress call, void* data);
    ProgressCall(ProgressCall const&) = delete;
    ProgressCall& operator=(ProgressCall const&) = delete;

    /// Adds `more` units of `all` to the progress. Thread-safe.
    void advance(std::uint64_t more, std::uint64_t all);
    /// True if the caller cancelled the work. Thread-safe and cheap; calls the progress function.
    [[nodiscard]] bool wants_end();

  private:
    keyswap_progress call_;
    void* data_;
    std::thread::id thread_ = std::this_thread::get_id();
    std::chrono::steady_clock::time_point next_{}; ///< next call of the progress function
    std::atomic<std::uint64_t> done_{0};
    std::atomic<std::uint64_t> total_{0};
    std::atomic<bool> ended_{false};
};

} // namespace keyswap::c
