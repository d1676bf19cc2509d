#pragma once

/// \file Self-releasing handles of the C interface, for its tests.

#include "tools/c/keyswap.h"

#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace keyswap::c_test {

using Json = nlohmann::json;

struct Free {
    void operator()(keyswap_error* error) const { keyswap_error_free(error); }
    void operator()(keyswap_result* result) const { keyswap_result_free(result); }
    void operator()(keyswap_request* request) const { keyswap_request_free(request); }
};
using Error = std::unique_ptr<keyswap_error, Free>;
using Result = std::unique_ptr<keyswap_result, Free>;
using Request = std::unique_ptr<keyswap_request, Free>;

inline std::string message(Error const& error) {
    return error ? keyswap_error_message(error.get()) : "";
}

template <class Key>
keyswap_array array(std::vector<Key> const& keys, keyswap_type type) {
    return {keys.data(), keys.size(), type};
}

inline Result
check(keyswap_array input, keyswap_array output, keyswap_check_options const* options = {}) {
    keyswap_result* result = nullptr;
    Error const error(keyswap_check(input, output, options, &result));
    EXPECT_EQ(message(error), "");
    return Result(result);
}

inline bool holds(Result const& result) {
    return keyswap_result_verdict(result.get()) == KEYSWAP_FINE;
}

inline Json json(Result const& result) {
    return Json::parse(keyswap_result_json(result.get()));
}

} // namespace keyswap::c_test
