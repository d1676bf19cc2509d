#include "tools/c/boundary.hpp"

#include "tools/build/build_info.hpp"
#include "tools/commands/command_line.hpp"
#include "traces/errors/contracts.hpp"
#include "traces/errors/interruption.hpp"
#include "traces/errors/try.hpp"

#include <memory>
#include <stdexcept>
#include <utility>

namespace keyswap::c {

namespace {

/// Thrown for a violated contract, so that the call fails and the caller's program continues.
class BrokenContract final : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

[[noreturn]] void throw_broken_contract(std::string const& message) {
    throw BrokenContract(message);
}

/// Evaluated once per process that loads the library; the contract handler is private to it.
[[maybe_unused]] bool const contracts_throw = (set_contract_handler(throw_broken_contract), true);

constexpr char const* cancelled_problem = "was cancelled";

/// Static error for the case that no error can be allocated; never freed.
keyswap_error& no_memory() {
    static keyswap_error error{KEYSWAP_COULD_NOT_RUN,
                               "memory",
                               "not enough is available",
                               "take fewer keys",
                               "memory: not enough is available (use fewer keys)"};
    return error;
}
[[maybe_unused]] keyswap_error const& made_in_time = no_memory();

keyswap_error* new_error(keyswap_error_kind_t kind, InputError const& error) {
    return std::make_unique<keyswap_error>(
               keyswap_error{kind, error.subject, error.problem, error.remedy, error.message()})
        .release();
}

keyswap_error* new_error(InputError const& error) {
    bool const is_cancelled = error.problem == cancelled_problem;
    return new_error(is_cancelled ? KEYSWAP_CANCELLED : KEYSWAP_COULD_NOT_RUN, error);
}

keyswap_error* error_of_exception() {
    try {
        throw;
    } catch (Interrupted const&) {
        return new_error(cancelled());
    } catch (BrokenContract const& broken) {
        return new_error(
            KEYSWAP_INTERNAL,
            {"keyswap", broken.what(), "this is an error in Keyswap; please report it"});
    } catch (...) {
        return new_error(tools::error_of_current_exception());
    }
}

} // namespace

keyswap_error* guarded(std::function<Expected<void>()> const& work) noexcept {
    try {
        try {
            auto const done = work();
            return done ? nullptr : new_error(done.error());
        } catch (...) {
            return error_of_exception();
        }
    } catch (...) {
        return &no_memory();
    }
}

InputError cancelled() {
    return {"the call", cancelled_problem, ""};
}

Expected<void> needs(void const* pointer, char const* name) {
    return pointer != nullptr ? Expected<void>() : input_error(name, "is NULL", "give it");
}

void give(keyswap_result** result,
          bool fine,
          std::string text,
          nlohmann::ordered_json const& json) {
    auto made = std::make_unique<keyswap_result>();
    made->verdict = fine ? KEYSWAP_FINE : KEYSWAP_VIOLATION;
    made->text = std::move(text);
    made->json = json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    *result = made.release();
}

ProgressCall::ProgressCall(keyswap_progress call, void* data) : call_(call), data_(data) {}

void ProgressCall::advance(std::uint64_t more, std::uint64_t all) {
    done_ += more;
    total_ = all;
}

bool ProgressCall::wants_end() {
    if (call_ == nullptr || std::this_thread::get_id() != thread_ || ended_) {
        return ended_;
    }
    constexpr std::chrono::milliseconds interval{50}; // responds to a key press at once
    auto const now = std::chrono::steady_clock::now();
    if (now >= next_) {
        next_ = now + interval;
        ended_ = call_(data_, done_, total_) != 0;
    }
    return ended_;
}

} // namespace keyswap::c

// Functions of keyswap.h on errors and results.

char const* keyswap_version(void) {
    static std::string const version(keyswap::tools::build_version());
    return version.c_str();
}

int keyswap_abi(void) {
    return KEYSWAP_ABI;
}

keyswap_error_kind_t keyswap_error_kind(keyswap_error const* error) {
    return error == nullptr ? KEYSWAP_NO_ERROR : error->kind;
}

char const* keyswap_error_subject(keyswap_error const* error) {
    return error == nullptr ? "" : error->subject.c_str();
}

char const* keyswap_error_problem(keyswap_error const* error) {
    return error == nullptr ? "" : error->problem.c_str();
}

char const* keyswap_error_remedy(keyswap_error const* error) {
    return error == nullptr ? "" : error->remedy.c_str();
}

char const* keyswap_error_message(keyswap_error const* error) {
    return error == nullptr ? "" : error->message.c_str();
}

void keyswap_error_free(keyswap_error* error) {
    if (error != &keyswap::c::no_memory()) {
        std::unique_ptr<keyswap_error> const owned(error);
    }
}

keyswap_verdict_t keyswap_result_verdict(keyswap_result const* result) {
    return result == nullptr ? KEYSWAP_VIOLATION : result->verdict;
}

char const* keyswap_result_text(keyswap_result const* result) {
    return result == nullptr ? "" : result->text.c_str();
}

char const* keyswap_result_json(keyswap_result const* result) {
    return result == nullptr ? "{}" : result->json.c_str();
}

void keyswap_result_free(keyswap_result* result) {
    std::unique_ptr<keyswap_result> const owned(result);
}
