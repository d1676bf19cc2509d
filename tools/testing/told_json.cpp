#include "tools/testing/told_json.hpp"

#include <sstream>

namespace keyswap::tools::testing {

namespace {

std::string below(std::string const& path, std::string const& name) {
    return path.empty() ? name : path + "/" + name;
}

void add_leaves(ToldJson::Json const& json, std::string const& path, std::set<std::string>& all) {
    if (json.is_object()) {
        for (auto const& [name, value] : json.items()) {
            add_leaves(value, below(path, name), all);
        }
    } else if (json.is_array()) {
        for (auto const& value : json) {
            add_leaves(value, path + "[]", all);
        }
    } else {
        all.insert(path);
    }
}

} // namespace

ToldJson ToldJson::operator[](std::string const& name) const {
    return {json_->at(name), read_, below(path_, name)};
}

bool ToldJson::is_null(std::string const& name) const {
    if (!json_->contains(name)) {
        return true;
    }
    bool const null = json_->at(name).is_null();
    if (null) {
        read_->insert(below(path_, name));
    }
    return null;
}

std::vector<ToldJson> ToldJson::each() const {
    std::vector<ToldJson> all;
    for (auto const& value : *json_) {
        all.push_back({value, read_, path_ + "[]"});
    }
    return all;
}

std::vector<std::string> ToldJson::names() const {
    std::vector<std::string> all;
    for (auto const& [name, value] : json_->items()) {
        all.push_back(name);
    }
    return all;
}

std::string ToldJson::text() const {
    read_->insert(path_);
    return json_->get<std::string>();
}

std::uint64_t ToldJson::count() const {
    read_->insert(path_);
    return json_->get<std::uint64_t>();
}

double ToldJson::number() const {
    read_->insert(path_);
    return json_->get<double>();
}

bool ToldJson::flag() const {
    read_->insert(path_);
    return json_->get<bool>();
}

std::string ToldJson::shown() const {
    read_->insert(path_);
    return json_->is_string() ? json_->get<std::string>() : json_->dump();
}

std::string ToldJson::joined(std::string const& separator) const {
    std::string all;
    for (ToldJson const& value : each()) {
        all += (all.empty() ? "" : separator) + value.shown();
    }
    return all;
}

std::set<std::string> ToldJson::unread() const {
    std::set<std::string> all;
    add_leaves(*json_, path_, all);
    for (std::string const& path : *read_) {
        all.erase(path);
    }
    return all;
}

std::vector<std::string> lines_of_words(std::string const& text) {
    std::vector<std::string> lines;
    std::istringstream all(text);
    for (std::string line; std::getline(all, line);) {
        std::istringstream words(line);
        std::string one;
        for (std::string word; words >> word;) {
            one += (one.empty() ? "" : " ") + word;
        }
        if (!one.empty()) {
            lines.push_back(one);
        }
    }
    return lines;
}

} // namespace keyswap::tools::testing
