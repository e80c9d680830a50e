// Package apiconnect holds the Connect clients and handlers of package api, generated from conch.proto.
package apiconnect
