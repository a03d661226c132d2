// The server is woken for every piece of news.
#include "tools/halo/serve/http_reply.h"

#include <utility>

namespace halo::tool {

void HttpReply::Send(HttpResponse response) {
  {
    const std::lock_guard lock(mutex_);
    if (is_abandoned_) return;
    news_.response = std::move(response);
    news_.has_ended = true;
  }
  server_->Wake();
}

void HttpReply::Begin(HttpResponse head) {
  {
    const std::lock_guard lock(mutex_);
    if (is_abandoned_) return;
    news_.response = std::move(head);
    news_.is_stream = true;
  }
  server_->Wake();
}

void HttpReply::Add(std::string_view part) {
  {
    const std::lock_guard lock(mutex_);
    if (is_abandoned_) return;
    news_.part += part;
  }
  server_->Wake();
}

void HttpReply::End() {
  {
    const std::lock_guard lock(mutex_);
    news_.has_ended = true;
  }
  server_->Wake();
}

HttpReply::News HttpReply::Take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(news_, {});
}

bool HttpReply::Claim() {
  const std::lock_guard lock(mutex_);
  is_claimed_ = !is_abandoned_;
  return is_claimed_;
}

bool HttpReply::AbandonUnlessClaimed() {
  const std::lock_guard lock(mutex_);
  if (is_claimed_) return false;
  is_abandoned_ = true;
  return true;
}

void HttpReply::Abandon() {
  const std::lock_guard lock(mutex_);
  is_abandoned_ = true;
  news_ = {};
}

}  // namespace halo::tool
