#pragma once

/// \file Small files of keys for tests.

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <unistd.h>
#include <vector>

namespace keyswap::model::testing {

/// A folder of its own for one test, removed afterwards.
class KeyFolder {
  public:
    KeyFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "keyswap-XXXXXX").string();
        path_ = ::mkdtemp(name.data());
    }
    KeyFolder(KeyFolder const&) = delete;
    KeyFolder& operator=(KeyFolder const&) = delete;
    ~KeyFolder() { std::filesystem::remove_all(path_); }

    [[nodiscard]] std::filesystem::path operator/(std::string const& name) const {
        return path_ / name;
    }
    [[nodiscard]] bool empty() const { return std::filesystem::is_empty(path_); }

    std::filesystem::path put(std::string const& name, std::string const& bytes) const {
        std::ofstream(path_ / name, std::ios::binary) << bytes;
        return path_ / name;
    }
    template <class T>
    std::filesystem::path put(std::string const& name, std::vector<T> const& keys) const {
        return put(
            name, std::string(reinterpret_cast<char const*>(keys.data()), keys.size() * sizeof(T)));
    }
    [[nodiscard]] std::string text(std::string const& name) const {
        std::ifstream file(path_ / name, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    }

  private:
    std::filesystem::path path_;
};

} // namespace keyswap::model::testing
