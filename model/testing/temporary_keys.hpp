#pragma once

/// \file Small key files for tests.

#include "traces/testing/temporary_folder.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace keyswap::model::testing {

/// A folder of key files, removed when the test ends.
class KeyFolder : public keyswap::testing::TemporaryFolder {
  public:
    std::filesystem::path put(std::string const& name, std::string const& bytes) const {
        keyswap::testing::put_text(*this / name, bytes);
        return *this / name;
    }
    template <class T>
    std::filesystem::path put(std::string const& name, std::vector<T> const& keys) const {
        return put(
            name, std::string(reinterpret_cast<char const*>(keys.data()), keys.size() * sizeof(T)));
    }
    [[nodiscard]] std::string text(std::string const& name) const {
        return keyswap::testing::text_of(*this / name);
    }
};

/// Expects each of the parts to occur in the message.
inline void expect_in(std::string const& message, std::vector<std::string> const& parts) {
    for (std::string const& part : parts) {
        EXPECT_NE(message.find(part), std::string::npos) << message << "\nlacks: " << part;
    }
}

} // namespace keyswap::model::testing
